// bindings/javascript/check/vectors.js: every case and every error of bindings/vectors.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const myLib = require('..');
const { call } = require('./operators');

const { Tensor, MyLibError, native } = myLib;
const count = (shape) => shape.reduce((product, size) => product * size, 1);

function run(folder) {
    const index = JSON.parse(fs.readFileSync(path.join(folder, 'index.json'), 'utf8'));
    for (const each of index.cases) {
        const content = fs.readFileSync(path.join(folder, each.file));
        checkCase(each, new Float32Array(new Uint8Array(content).buffer));
    }
    for (const each of index.errors) checkError(each);
    checkLayer();
    console.log(`vectors ${index.cases.length}`);
    console.log(`errors ${index.errors.length}`);
}

// Values are little-endian, as the platforms of libmy_lib are.
function checkCase(each, numbers) {
    let next = 0;
    const read = ({ shape }) => {
        if (shape === null) return null;
        next += count(shape);
        return new Tensor(numbers.slice(next - count(shape), next), shape);
    };
    const inputs = each.inputs.map(read);
    const expected = each.outputs.map(read);
    assert.equal(next, numbers.length, each.name);
    const outputs = expected.map((tensor) => tensor && new Tensor(new Float32Array(tensor.data.length).fill(NaN),
        tensor.shape));
    call(each.function, inputs, outputs);
    compare(each, outputs, expected);
    if (!expected.includes(null)) compare(each, call(each.function, inputs), expected);
}

function compare(each, outputs, expected) {
    expected.forEach((tensor, i) => tensor?.data.forEach((wanted, j) => {
        const got = outputs[i].data[j];
        assert(Math.abs(got - wanted) <= each.atol + each.rtol * Math.abs(wanted),
            `${each.name}: ${each.outputs[i].name}[${j}]: expected ${wanted}, got ${got}`);
    }));
}

const raw = (status) => {
    if (status !== 1) throw new MyLibError(native.my_lib_last_error_code(), native.my_lib_last_error_message());
};

// The functions that make the errors: through the layer, and twice through the raw functions.
const ERRORS = {
    'add_forward-shapes': (inputs) => myLib.addForward(...inputs),
    'linear_forward-negative': (inputs, { batch, in_features, out_features }) =>
        raw(native.my_lib_linear_forward(null, null, null, batch, in_features, out_features, null, null)),
    'lltm_forward-workspace': (inputs, { batch, input_size, state_size }) =>
        raw(native.lltm_forward(...inputs.map((each) => each.data), batch, input_size, state_size,
            new Float32Array(batch * state_size), new Float32Array(batch * state_size), null, null)),
};

function checkError(each) {
    const inputs = each.inputs.map(({ shape }) => Tensor.zeros(...shape));
    expect(() => ERRORS[each.name](inputs, each.sizes), each.code, each.code_name, each.text);
}

function expect(action, errno, code, message) {
    assert.throws(action, (failure) => {
        assert.deepEqual([failure.constructor, failure.errno, failure.code, failure.message],
            [MyLibError, errno, code, message]);
        return true;
    });
}

// The checks that C cannot make.
function checkLayer() {
    const [state, steps, input] = [Tensor.zeros(2, 3), Tensor.zeros(5, 2, 3), Tensor.zeros(2, 4)];
    const [weights, bias] = [Tensor.zeros(9, 7), Tensor.zeros(9)];
    const shapes = {
        'data: expected 6 elements for shape (2, 3), got 5': () => new Tensor(new Float32Array(5), [2, 3]),
        'output: expected shape (2, 3), got ()': () => myLib.addForward(state, state, Tensor.zeros()),
        'grad_input1: expected shape (2, 3), got (2, 4)': () => myLib.addBackward(state, { input1: input }),
        'input: expected 2 sizes, got shape (9,)': () => myLib.linearForward(bias, weights, bias),
        'weight: expected shape (9, 4), got (9, 7)': () => myLib.linearForward(input, weights, null),
        'grad_bias: expected shape (3,), got (9,)': () => myLib.linearBackward(state, null, null, { bias }),
        'weights: expected shape (9, 6), got (9, 7)': () => myLib.lltmForward(state, weights, bias, state, state),
        'cell: expected shape (5, 2, 3), got (2, 3)': () => myLib.lltmSequenceForward(
            Tensor.zeros(5, 2, 4), weights, bias, state, state, { h: steps, cell: state }),
    };
    for (const [message, action] of Object.entries(shapes)) expect(action, 5, 'MY_LIB_ERROR_SHAPE_MISMATCH', message);
    expect(() => myLib.addForward(state, null), 1, 'MY_LIB_ERROR_NULL_POINTER', 'input2: expected a tensor, got null');
    expect(() => myLib.linearBackward(state, null, weights, {}), 5, 'MY_LIB_ERROR_SHAPE_MISMATCH',
        'weight: expected shape (3, 7), got (9, 7)');
    expect(() => Tensor.zeros(-1), 3, 'MY_LIB_ERROR_INVALID_SIZE', 'shape: expected integers >= 0, got shape (-1,)');
    expect(() => myLib.setNumThreads(-1), 6, 'MY_LIB_ERROR_INVALID_VALUE', 'num_threads: expected at least 0, got -1');
    // The raw functions never reach beyond an array, whatever they are given.
    const { data, sizes } = state;
    for (const [message, values] of Object.entries({
        'input2: expected 6 elements, got 5': [data, sizes, new Float32Array(5), sizes, data],
        'input1: expected a Float32Array or null, got another value': [new Float64Array(6), sizes, data, sizes, data],
        'shape1: expected a BigInt64Array or null, got another value': [data, [2, 3], data, sizes, data],
    })) {
        assert.throws(() => native.my_lib_add_forward(...values), { name: 'TypeError', message });
    }
    const detached = new Tensor(new Float32Array(6), [2, 3]);
    structuredClone(null, { transfer: [detached.data.buffer] });
    assert.throws(() => myLib.addForward(state, state, detached),
        { name: 'TypeError', message: 'output: expected 6 elements, got 0' });
}

module.exports = { run };
