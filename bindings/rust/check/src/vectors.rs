// bindings/rust/check/src/vectors.rs: replays the vectors and errors of index.txt.
use std::collections::HashMap;
use std::ffi::CStr;
use std::path::Path;
use std::{fs, ptr};

use my_lib::{
    add_backward, add_forward, linear_backward, linear_forward, lltm_backward, lltm_forward,
    lltm_sequence_backward, lltm_sequence_forward, AddGradients, LinearGradients, LltmBackward,
    LltmGradients, LltmInputs, LltmOutputs, LltmSequenceBackward, View, ViewMut, Workspace,
};
use my_lib_sys as sys;

use crate::Outcome;

pub fn run(folder: &str) -> Outcome<()> {
    let folder = Path::new(folder);
    let index = fs::read_to_string(folder.join("index.txt"))?;
    let (mut cases, mut errors, mut workspace) = (0, 0, Workspace::new());
    for block in index
        .split("\nend\n")
        .filter(|block| !block.trim().is_empty())
    {
        let block = Block::read(block)?;
        if block.head[0] == "case" {
            let mut case = Case::load(block, folder)?;
            case.replay(&mut workspace)
                .and_then(|()| case.compare())
                .map_err(|error| case.says(error))?;
            cases += 1;
        } else {
            provoke(&block)?;
            errors += 1;
        }
    }
    println!("vectors {}\nerrors {}", cases, errors);
    Ok(())
}

/// The lines of the index from `case` or `error` to `end`. An array that is absent has no shape.
struct Block<'a> {
    head: Vec<&'a str>,
    sizes: HashMap<&'a str, i64>,
    arrays: Vec<(&'a str, Option<Vec<usize>>, bool)>, // name, shape, whether it is an output
    text: &'a str,
}

impl<'a> Block<'a> {
    fn read(lines: &'a str) -> Outcome<Self> {
        let mut block = Block {
            head: Vec::new(),
            sizes: HashMap::new(),
            arrays: Vec::new(),
            text: "",
        };
        for line in lines.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            match fields[0] {
                "size" => {
                    block.sizes.insert(fields[1], fields[2].parse()?);
                }
                "in" | "out" => {
                    let shape = fields[3..]
                        .iter()
                        .map(|size| size.parse())
                        .collect::<Result<_, _>>()?;
                    block.arrays.push((
                        fields[1],
                        Some(shape).filter(|_| fields[2] != "-1"),
                        fields[0] == "out",
                    ));
                }
                "text" => block.text = &line["text ".len()..],
                _ => block.head = fields,
            }
        }
        Ok(block)
    }
}

struct Array {
    data: Vec<f32>,
    shape: Vec<usize>,
}

struct Case<'a> {
    name: &'a str,
    function: &'a str,
    rtol: f32,
    atol: f32,
    inputs: HashMap<&'a str, Array>,
    expected: HashMap<&'a str, Array>,
    outputs: HashMap<&'a str, Array>,
}

impl<'a> Case<'a> {
    fn load(block: Block<'a>, folder: &Path) -> Outcome<Self> {
        let bytes = fs::read(folder.join(block.head[3]))?;
        let mut numbers = bytes
            .chunks(4)
            .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let (mut inputs, mut expected, mut outputs) =
            (HashMap::new(), HashMap::new(), HashMap::new());
        for (name, shape, is_output) in block.arrays {
            if let Some(shape) = shape {
                let data: Vec<f32> = numbers.by_ref().take(shape.iter().product()).collect();
                if is_output {
                    outputs.insert(
                        name,
                        Array {
                            data: vec![f32::NAN; data.len()],
                            shape: shape.clone(),
                        },
                    );
                }
                (if is_output {
                    &mut expected
                } else {
                    &mut inputs
                })
                .insert(name, Array { data, shape });
            }
        }
        let [_, name, function, _, rtol, atol] =
            <[&str; 6]>::try_from(block.head).map_err(|head| head.join(" "))?;
        Ok(Case {
            name,
            function,
            rtol: rtol.parse()?,
            atol: atol.parse()?,
            inputs,
            expected,
            outputs,
        })
    }

    fn says(&self, error: impl std::fmt::Display) -> String {
        format!("{}: {}", self.name, error)
    }

    fn replay(&mut self, workspace: &mut Workspace) -> Outcome<()> {
        if self.function.starts_with("add") {
            let rank = self
                .inputs
                .values()
                .next()
                .map_or(0, |array| array.shape.len());
            return match rank {
                0 => self.replay_add::<0>(),
                1 => self.replay_add::<1>(),
                2 => self.replay_add::<2>(),
                3 => self.replay_add::<3>(),
                5 => self.replay_add::<5>(),
                _ => Err(format!("expected 0 to 3 or 5 dimensions, got {}", rank).into()),
            };
        }
        let (inputs, outputs) = (Inputs(&self.inputs), &mut Outputs::of(&mut self.outputs));
        match self.function {
            "linear_forward" => linear_forward(
                &inputs.get("input")?,
                &inputs.get("weight")?,
                inputs.find("bias")?.as_ref(),
                &mut outputs.take("output")?.ok_or("output")?,
                workspace,
            )?,
            "linear_backward" => linear_backward(
                &inputs.get("grad_output")?,
                inputs.find("input")?.as_ref(),
                inputs.find("weight")?.as_ref(),
                LinearGradients {
                    grad_input: outputs.take("grad_input")?,
                    grad_weight: outputs.take("grad_weight")?,
                    grad_bias: outputs.take("grad_bias")?,
                },
                workspace,
            )?,
            "lltm_forward" => lltm_forward(
                inputs.of_lltm()?,
                outputs.of_lltm("new_h", "new_cell")?,
                workspace,
            )?,
            "lltm_backward" => lltm_backward(
                LltmBackward {
                    grad_h: inputs.get("grad_h")?,
                    grad_cell: inputs.get("grad_cell")?,
                    new_cell: inputs.get("new_cell")?,
                    gates: inputs.get("gates")?,
                    input: inputs.get("input")?,
                    old_h: inputs.get("old_h")?,
                    weights: inputs.get("weights")?,
                },
                outputs.gradients()?,
                workspace,
            )?,
            "lltm_sequence_forward" => {
                lltm_sequence_forward(inputs.of_lltm()?, outputs.of_lltm("h", "cell")?, workspace)?
            }
            "lltm_sequence_backward" => lltm_sequence_backward(
                LltmSequenceBackward {
                    grad_h: inputs.get("grad_h")?,
                    grad_last_h: inputs.find("grad_last_h")?,
                    grad_last_cell: inputs.find("grad_last_cell")?,
                    cell: inputs.get("cell")?,
                    gates: inputs.get("gates")?,
                    input: inputs.get("input")?,
                    h: inputs.get("h")?,
                    old_h: inputs.get("old_h")?,
                    old_cell: inputs.get("old_cell")?,
                    weights: inputs.get("weights")?,
                },
                outputs.gradients()?,
                workspace,
            )?,
            other => return Err(format!("unknown function {}", other).into()),
        }
        Ok(())
    }

    fn replay_add<const N: usize>(&mut self) -> Outcome<()> {
        let (inputs, outputs) = (Inputs(&self.inputs), &mut Outputs::of(&mut self.outputs));
        if self.function == "add_forward" {
            let mut output = outputs.take::<N>("output")?.ok_or("output")?;
            return Ok(add_forward(
                &inputs.get("input1")?,
                &inputs.get("input2")?,
                &mut output,
            )?);
        }
        let gradients = AddGradients {
            grad_input1: outputs.take("grad_input1")?,
            grad_input2: outputs.take("grad_input2")?,
        };
        Ok(add_backward::<N>(&inputs.get("grad_output")?, gradients)?)
    }

    fn compare(&self) -> Outcome<()> {
        for (name, expected) in &self.expected {
            for (index, (expected, got)) in expected
                .data
                .iter()
                .zip(&self.outputs[name].data)
                .enumerate()
            {
                let within = (got - expected).abs() <= self.atol + self.rtol * expected.abs(); // a NaN is not
                if !within {
                    return Err(
                        format!("{}[{}]: expected {}, got {}", name, index, expected, got).into(),
                    );
                }
            }
        }
        Ok(())
    }
}

/// The inputs of a case as views.
struct Inputs<'a, 'b>(&'a HashMap<&'b str, Array>);

impl<'a> Inputs<'a, '_> {
    fn find<const N: usize>(&self, name: &str) -> Outcome<Option<View<'a, N>>> {
        let view = |array: &'a Array| Ok(View::new(&array.data, array.shape[..].try_into()?)?);
        self.0.get(name).map(view).transpose()
    }

    fn get<const N: usize>(&self, name: &str) -> Outcome<View<'a, N>> {
        self.find(name)?
            .ok_or_else(|| format!("no input {}", name).into())
    }

    fn of_lltm<const N: usize>(&self) -> Outcome<LltmInputs<'a, N>> {
        Ok(LltmInputs {
            input: self.get("input")?,
            weights: self.get("weights")?,
            bias: self.get("bias")?,
            old_h: self.get("old_h")?,
            old_cell: self.get("old_cell")?,
        })
    }
}

/// The outputs of a case: each can be taken once.
struct Outputs<'a>(HashMap<&'a str, &'a mut Array>);

impl<'a> Outputs<'a> {
    fn of(outputs: &'a mut HashMap<&str, Array>) -> Self {
        Outputs(
            outputs
                .iter_mut()
                .map(|(name, array)| (*name, array))
                .collect(),
        )
    }

    fn take<const N: usize>(&mut self, name: &str) -> Outcome<Option<ViewMut<'a, N>>> {
        let view =
            |array: &'a mut Array| Ok(ViewMut::new(&mut array.data, array.shape[..].try_into()?)?);
        self.0.remove(name).map(view).transpose()
    }

    fn of_lltm<const N: usize>(&mut self, h: &str, cell: &str) -> Outcome<LltmOutputs<'a, N>> {
        Ok(LltmOutputs {
            h: self.take(h)?.ok_or("h")?,
            cell: self.take(cell)?.ok_or("cell")?,
            gates: self.take("gates")?,
        })
    }

    fn gradients<const N: usize>(&mut self) -> Outcome<LltmGradients<'a, N>> {
        Ok(LltmGradients {
            d_input: self.take("d_input")?,
            d_weights: self.take("d_weights")?,
            d_bias: self.take("d_bias")?,
            d_old_h: self.take("d_old_h")?,
            d_old_cell: self.take("d_old_cell")?,
        })
    }
}

/// One error of the index; the last two go through the C declarations, because a caller of my_lib cannot make them.
fn provoke(block: &Block) -> Outcome<()> {
    let size = |name: &str| block.sizes[name];
    let shape = |index: usize| block.arrays[index].1.clone().unwrap_or_default();
    let arrays: Vec<Vec<f32>> = (0..block.arrays.len())
        .map(|index| vec![1.0; shape(index).iter().product()])
        .collect();
    let (code, name, message) = match block.head[1] {
        "add_forward-shapes" => {
            let mut output = arrays[0].clone();
            let result = add_forward::<2>(
                &View::new(&arrays[0], shape(0)[..].try_into()?)?,
                &View::new(&arrays[1], shape(1)[..].try_into()?)?,
                &mut ViewMut::new(&mut output, shape(0)[..].try_into()?)?,
            );
            let error = result
                .err()
                .ok_or("add_forward-shapes: expected an error, got success")?;
            (
                error.code(),
                error.name().to_string(),
                error.message().to_string(),
            )
        }
        "linear_forward-negative" => raw_error(unsafe {
            sys::my_lib_linear_forward(
                ptr::null(),
                ptr::null(),
                ptr::null(),
                size("batch"),
                size("in_features"),
                size("out_features"),
                ptr::null_mut(),
                ptr::null_mut(),
                0,
            )
        })?,
        "lltm_forward-workspace" => {
            let state = (size("batch") * size("state_size")) as usize;
            let (mut h, mut cell, mut gates) =
                (vec![0.0; state], vec![0.0; state], vec![0.0; 3 * state]);
            raw_error(unsafe {
                sys::lltm_forward(
                    arrays[0].as_ptr(),
                    arrays[1].as_ptr(),
                    arrays[2].as_ptr(),
                    arrays[3].as_ptr(),
                    arrays[4].as_ptr(),
                    size("batch"),
                    size("input_size"),
                    size("state_size"),
                    h.as_mut_ptr(),
                    cell.as_mut_ptr(),
                    gates.as_mut_ptr(),
                    ptr::null_mut(),
                    0,
                )
            })?
        }
        other => return Err(format!("unknown error {}", other).into()),
    };
    let (got, expected) = (
        (code.to_string(), &*name, &*message),
        (block.head[3], block.head[4], block.text),
    );
    if (&*got.0, got.1, got.2) == expected {
        return Ok(());
    }
    Err(format!("{}: expected {:?}, got {:?}", block.head[1], expected, got).into())
}

/// Code, name and message after a call that must fail.
fn raw_error(status: i32) -> Outcome<(i32, String, String)> {
    if status != 0 {
        return Err(format!("expected status 0, got {}", status).into());
    }
    unsafe {
        let code = sys::my_lib_last_error_code();
        let text = |text| CStr::from_ptr(text).to_string_lossy().into_owned();
        Ok((
            code,
            text(sys::my_lib_error_name(code)),
            text(sys::my_lib_last_error_message()),
        ))
    }
}
