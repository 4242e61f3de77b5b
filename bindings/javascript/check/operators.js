// bindings/javascript/check/operators.js: the functions by the names of C, on lists of tensors.
'use strict';

const myLib = require('..');

// Of each: the function, the number of its inputs, and the names of its outputs, unless the result is the only one.
// Tensors are in the order of the C prototype, null where absent.
const OPERATORS = {
    add_forward: [myLib.addForward, 2, []],
    add_backward: [myLib.addBackward, 1, ['input1', 'input2']],
    linear_forward: [myLib.linearForward, 3, []],
    linear_backward: [myLib.linearBackward, 3, ['input', 'weight', 'bias']],
    lltm_forward: [myLib.lltmForward, 5, ['h', 'cell', 'gates']],
    lltm_backward: [myLib.lltmBackward, 7, ['input', 'weights', 'bias', 'oldH', 'oldCell']],
    lltm_sequence_forward: [myLib.lltmSequenceForward, 5, ['h', 'cell', 'gates']],
    lltm_sequence_backward: [myLib.lltmSequenceBackward, 10, ['input', 'weights', 'bias', 'oldH', 'oldCell']],
};

// Calls a function with outputs, or without for it to allocate them; returns them.
function call(name, inputs, outputs) {
    const [operator, count, names] = OPERATORS[name];
    if (inputs.length !== count) throw new Error(`${name}: expected ${count} inputs, got ${inputs.length}`);
    if (names.length === 0) return [operator(...inputs, outputs?.[0])];
    const given = outputs && Object.fromEntries(names.map((each, i) => [each, outputs[i]]));
    const found = operator(...inputs, given);
    return names.map((each) => found[each]);
}

module.exports = { call };
