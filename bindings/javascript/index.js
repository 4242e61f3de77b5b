// bindings/javascript/index.js: the operators of libmy_lib on tensors; index.d.ts describes each function.
'use strict';

const native = require('./build/Release/my_lib.node');

const INVALID_SIZE = 3;
const NULL_POINTER = 1;
const SHAPE_MISMATCH = 5;

class MyLibError extends Error {
    constructor(errno, message) {
        super(message);
        this.name = 'MyLibError';
        this.errno = errno;
        this.code = native.my_lib_error_name(errno);
    }
}

const text = (shape) => (shape.length === 1 ? `(${shape[0]},)` : `(${Array.from(shape).join(', ')})`);

class Tensor {
    constructor(data, shape) {
        if (!(data instanceof Float32Array)) {
            throw new TypeError(`data: expected a Float32Array, got ${data === null ? 'null' : typeof data}`);
        }
        const count = elements(shape);
        if (data.length !== count) {
            throw new MyLibError(
                SHAPE_MISMATCH, `data: expected ${count} elements for shape ${text(shape)}, got ${data.length}`);
        }
        this.data = data;
        this.shape = Object.freeze(Array.from(shape));
        this.sizes = BigInt64Array.from(this.shape, BigInt); // as C takes them
        Object.freeze(this);
    }

    static zeros(...shape) {
        return new Tensor(new Float32Array(elements(shape)), shape);
    }
}

function elements(shape) {
    let count = 1;
    for (const size of shape) {
        if (!Number.isSafeInteger(size) || size < 0) {
            throw new MyLibError(INVALID_SIZE, `shape: expected integers >= 0, got shape ${text(shape)}`);
        }
        count *= size;
    }
    return count;
}

function check(status) {
    if (status !== 1) throw new MyLibError(native.my_lib_last_error_code(), native.my_lib_last_error_message());
}

// A tensor that must not be left out.
function present(name, tensor) {
    if (tensor === null || tensor === undefined) {
        throw new MyLibError(NULL_POINTER, `${name}: expected a tensor, got ${tensor}`);
    }
    if (!(tensor instanceof Tensor)) throw new TypeError(`${name}: expected a Tensor, got ${typeof tensor}`);
    return tensor;
}

// The sizes of a tensor that has so many.
function sizes(name, tensor, ndim) {
    const { shape } = present(name, tensor);
    if (shape.length !== ndim) {
        throw new MyLibError(SHAPE_MISMATCH, `${name}: expected ${ndim} sizes, got shape ${text(shape)}`);
    }
    return shape;
}

// A tensor of this shape.
function want(name, tensor, expected) {
    const { shape } = present(name, tensor);
    let same = shape.length === expected.length;
    for (let i = 0; same && i < shape.length; ++i) same = shape[i] === expected[i];
    if (!same) {
        throw new MyLibError(SHAPE_MISMATCH, `${name}: expected shape ${text(expected)}, got ${text(shape)}`);
    }
}

// A tensor of this shape, or null.
function may(name, tensor, expected) {
    if (tensor !== null && tensor !== undefined) want(name, tensor, expected);
}

// What C gets of a tensor that may be left out.
const dataOf = (tensor) => (tensor ? tensor.data : null);

// As large as the largest call of this thread needed.
let workspace = new Uint8Array(0);

function reserve(size) {
    // Larger than any memory is SIZE_MAX, for sizes that C refuses.
    if (workspace.length < size && size <= Number.MAX_SAFE_INTEGER) workspace = new Uint8Array(size);
    return workspace;
}

function addForward(input1, input2, output) {
    present('input1', input1);
    present('input2', input2);
    if (output === undefined) output = Tensor.zeros(...input1.shape);
    want('output', output, input1.shape);
    check(native.my_lib_add_forward(input1.data, input1.sizes, input2.data, input2.sizes, output.data));
    return output;
}

function addBackward(gradOutput, gradients) {
    const { shape, data, sizes: cSizes } = present('grad_output', gradOutput);
    gradients ??= { input1: Tensor.zeros(...shape), input2: Tensor.zeros(...shape) };
    may('grad_input1', gradients.input1, shape);
    may('grad_input2', gradients.input2, shape);
    check(native.my_lib_add_backward(data, cSizes, dataOf(gradients.input1), dataOf(gradients.input2)));
    return gradients;
}

function linearForward(input, weight, bias, output) {
    const [batch, inFeatures] = sizes('input', input, 2);
    const outFeatures = sizes('weight', weight, 2)[0];
    want('weight', weight, [outFeatures, inFeatures]);
    may('bias', bias, [outFeatures]);
    output ??= Tensor.zeros(batch, outFeatures);
    want('output', output, [batch, outFeatures]);
    check(native.my_lib_linear_forward(
        input.data, weight.data, dataOf(bias), batch, inFeatures, outFeatures, output.data,
        reserve(native.my_lib_linear_forward_workspace_size(batch, inFeatures, outFeatures))));
    return output;
}

function linearBackward(gradOutput, input, weight, gradients) {
    const [batch, outFeatures] = sizes('grad_output', gradOutput, 2);
    // in_features is that of any tensor that has it.
    const withFeatures = [input, weight, gradients?.input, gradients?.weight].find((t) => t?.shape?.length === 2);
    const inFeatures = withFeatures ? withFeatures.shape[1] : 0;
    may('input', input, [batch, inFeatures]);
    may('weight', weight, [outFeatures, inFeatures]);
    gradients ??= {
        input: Tensor.zeros(batch, inFeatures),
        weight: Tensor.zeros(outFeatures, inFeatures),
        bias: Tensor.zeros(outFeatures),
    };
    may('grad_input', gradients.input, [batch, inFeatures]);
    may('grad_weight', gradients.weight, [outFeatures, inFeatures]);
    may('grad_bias', gradients.bias, [outFeatures]);
    check(native.my_lib_linear_backward(
        gradOutput.data, dataOf(input), dataOf(weight), batch, inFeatures, outFeatures,
        dataOf(gradients.input), dataOf(gradients.weight), dataOf(gradients.bias),
        reserve(native.my_lib_linear_backward_workspace_size(batch, inFeatures, outFeatures))));
    return gradients;
}

// The sizes of a call of the LLTM, of which `each` gives the shape of what has a value for each step. `lead` is
// [batch] for one step, [seq_len, batch] for a sequence; `all` are the sizes as C takes them.
function lltmSizes(ndim, input, weights, oldH) {
    const shape = sizes('input', input, ndim);
    const lead = shape.slice(0, -1);
    const [inputSize, stateSize] = [shape[ndim - 1], sizes('old_h', oldH, 2)[1]];
    const s = {
        all: [...lead, inputSize, stateSize],
        stateSize,
        inputSize,
        state: [lead[ndim - 2], stateSize],
        weights: [3 * stateSize, stateSize + inputSize],
        bias: [3 * stateSize],
        each: (last) => [...lead, last],
    };
    want('weights', weights, s.weights);
    want('old_h', oldH, s.state);
    return s;
}

function lltmForwardOf(name, ndim, [nameOfH, nameOfCell], input, weights, bias, oldH, oldCell, states) {
    const s = lltmSizes(ndim, input, weights, oldH);
    want('bias', bias, s.bias);
    want('old_cell', oldCell, s.state);
    states ??= {
        h: Tensor.zeros(...s.each(s.stateSize)),
        cell: Tensor.zeros(...s.each(s.stateSize)),
        gates: Tensor.zeros(...s.each(3 * s.stateSize)),
    };
    want(nameOfH, states.h, s.each(s.stateSize));
    want(nameOfCell, states.cell, s.each(s.stateSize));
    may('gates', states.gates, s.each(3 * s.stateSize));
    check(native[name](
        input.data, weights.data, bias.data, oldH.data, oldCell.data, ...s.all,
        states.h.data, states.cell.data, dataOf(states.gates), reserve(native[`${name}_workspace_size`](...s.all))));
    return states;
}

// `inputs` are those of C before the sizes.
function lltmBackwardOf(name, s, inputs, gradients) {
    gradients ??= {
        input: Tensor.zeros(...s.each(s.inputSize)),
        weights: Tensor.zeros(...s.weights),
        bias: Tensor.zeros(...s.bias),
        oldH: Tensor.zeros(...s.state),
        oldCell: Tensor.zeros(...s.state),
    };
    may('d_input', gradients.input, s.each(s.inputSize));
    may('d_weights', gradients.weights, s.weights);
    may('d_bias', gradients.bias, s.bias);
    may('d_old_h', gradients.oldH, s.state);
    may('d_old_cell', gradients.oldCell, s.state);
    const { input, weights, bias, oldH, oldCell } = gradients;
    check(native[name](
        ...inputs.map(dataOf), ...s.all, ...[input, weights, bias, oldH, oldCell].map(dataOf),
        reserve(native[`${name}_workspace_size`](...s.all))));
    return gradients;
}

function lltmForward(input, weights, bias, oldH, oldCell, states) {
    return lltmForwardOf('lltm_forward', 2, ['new_h', 'new_cell'], input, weights, bias, oldH, oldCell, states);
}

function lltmBackward(gradH, gradCell, newCell, gates, input, oldH, weights, gradients) {
    const s = lltmSizes(2, input, weights, oldH);
    want('grad_h', gradH, s.state);
    want('grad_cell', gradCell, s.state);
    want('new_cell', newCell, s.state);
    want('gates', gates, s.each(3 * s.stateSize));
    return lltmBackwardOf('lltm_backward', s, [gradH, gradCell, newCell, gates, input, oldH, weights], gradients);
}

function lltmSequenceForward(input, weights, bias, oldH, oldCell, states) {
    return lltmForwardOf('lltm_sequence_forward', 3, ['h', 'cell'], input, weights, bias, oldH, oldCell, states);
}

function lltmSequenceBackward(
    gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights, gradients) {
    const s = lltmSizes(3, input, weights, oldH);
    want('grad_h', gradH, s.each(s.stateSize));
    may('grad_last_h', gradLastH, s.state);
    may('grad_last_cell', gradLastCell, s.state);
    want('cell', cell, s.each(s.stateSize));
    want('gates', gates, s.each(3 * s.stateSize));
    want('h', h, s.each(s.stateSize));
    want('old_cell', oldCell, s.state);
    return lltmBackwardOf(
        'lltm_sequence_backward', s,
        [gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights], gradients);
}

module.exports = {
    MyLibError,
    Tensor,
    version: native.my_lib_version,
    buildInfo: native.my_lib_build_info,
    numThreads: native.my_lib_get_num_threads,
    setNumThreads: (count) => check(native.my_lib_set_num_threads(count)),
    addForward,
    addBackward,
    linearForward,
    linearBackward,
    lltmForward,
    lltmBackward,
    lltmSequenceForward,
    lltmSequenceBackward,
    native,
};
