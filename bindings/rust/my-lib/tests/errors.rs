// bindings/rust/my-lib/tests/errors.rs: what is refused before C is called, and what C refuses.
use my_lib::{
    add_backward, add_forward, linear_backward, linear_forward, lltm_forward, set_num_threads,
    AddGradients, Error, LinearGradients, LltmInputs, LltmOutputs, Result, View, ViewMut,
    Workspace,
};

fn fails<T: std::fmt::Debug>(result: Result<T>, name: &str, message: &str) {
    let error: Error = result.unwrap_err();
    assert_eq!((error.name(), error.message()), (name, message));
    assert_eq!(error.to_string(), message);
}

const MISMATCH: &str = "MY_LIB_ERROR_SHAPE_MISMATCH";

#[test]
fn views_have_as_many_elements_as_their_shape_says() {
    let data = [0.0; 6];
    fails(
        View::new(&data, [2, 4]),
        MISMATCH,
        "data: expected the elements of shape (2, 4), got 6 elements",
    );
    fails(
        View::new(&data, [0, 6]),
        MISMATCH,
        "data: expected the elements of shape (0, 6), got 6 elements",
    );
    fails(
        View::new(&data[..0], [5]),
        MISMATCH,
        "data: expected the elements of shape (5,), got 0 elements",
    );
    let overflows = "data: expected the elements of shape (9223372036854775807, 3), got 6 elements";
    fails(
        View::new(&data, [i64::MAX as usize, 3]),
        MISMATCH,
        overflows,
    );
    let too_large =
        "shape: expected sizes of at most 9223372036854775807, got (0, 18446744073709551615)";
    fails(
        View::new(&data[..0], [0, usize::MAX]),
        "MY_LIB_ERROR_INVALID_SIZE",
        too_large,
    );
    assert_eq!(View::new(&data[..0], [3, 0]).unwrap().shape(), [3, 0]);
    assert_eq!(View::new(&data[..1], []).unwrap().data(), [0.0]);
}

#[test]
fn outputs_and_gradients_have_the_shape_of_the_inputs() {
    let (data, mut output) = ([1.0; 6], [0.0; 6]);
    let view = View::new(&data, [2, 3]).unwrap();
    let mut other = ViewMut::new(&mut output, [3, 2]).unwrap();
    fails(
        add_forward(&view, &view, &mut other),
        MISMATCH,
        "output: expected shape (2, 3), got (3, 2)",
    );
    let gradients = AddGradients {
        grad_input1: None,
        grad_input2: Some(other),
    };
    fails(
        add_backward(&view, gradients),
        MISMATCH,
        "grad_input2: expected shape (2, 3), got (3, 2)",
    );
    assert_eq!(output, [0.0; 6]);
}

#[test]
fn arguments_of_linear_and_lltm_are_named() {
    let (data, workspace) = ([1.0; 64], &mut Workspace::new());
    let view2 =
        |rows: usize, columns: usize| View::new(&data[..rows * columns], [rows, columns]).unwrap();
    let view1 = |size: usize| View::new(&data[..size], [size]).unwrap();
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    let result = linear_forward(
        &view2(2, 3),
        &view2(2, 4),
        None,
        &mut ViewMut::new(&mut a, [2, 2]).unwrap(),
        workspace,
    );
    fails(
        result,
        MISMATCH,
        "weight: expected shape (2, 3), got (2, 4)",
    );

    let gradients = LinearGradients {
        grad_weight: Some(ViewMut::new(&mut a, [2, 2]).unwrap()),
        ..Default::default()
    };
    let result = linear_backward(&view2(2, 2), None, Some(&view2(2, 2)), gradients, workspace);
    fails(
        result,
        "MY_LIB_ERROR_NULL_POINTER",
        "input: expected an array, got NULL",
    );

    let inputs = LltmInputs {
        input: view2(2, 2),
        weights: view2(6, 4),
        bias: view1(5),
        old_h: view2(2, 2),
        old_cell: view2(2, 2),
    };
    let outputs = LltmOutputs {
        h: ViewMut::new(&mut a, [2, 2]).unwrap(),
        cell: ViewMut::new(&mut b, [2, 2]).unwrap(),
        gates: None,
    };
    fails(
        lltm_forward(inputs, outputs, workspace),
        MISMATCH,
        "bias: expected shape (6,), got (5,)",
    );
}

#[test]
fn numbers_of_threads() {
    fails(
        set_num_threads(-1),
        "MY_LIB_ERROR_INVALID_VALUE",
        "num_threads: expected at least 0, got -1",
    );
    set_num_threads(1).unwrap();
    assert_eq!(my_lib::num_threads(), 1);
    set_num_threads(0).unwrap();
}
