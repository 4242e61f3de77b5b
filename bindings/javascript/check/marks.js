// bindings/javascript/check/marks.js: whether C gets the arrays themselves.
//
// The stand-in of bindings/marks writes a number into element 0 of every array that it gets, inputs too. It would not
// be seen in an array of which C got a copy.
'use strict';

const assert = require('node:assert/strict');

const { Tensor } = require('..');
const { call } = require('./operators');

const MARK = 1234.5;

// The shapes of inputs and outputs, with 5 steps, batch 2, 3 features, and 4 for the state.
const SHAPES = {
    add_forward: [[[2, 3], [2, 3]], [[2, 3]]],
    linear_forward: [[[2, 3], [4, 3], [4]], [[2, 4]]],
    lltm_forward: [[[2, 3], [12, 7], [12], [2, 4], [2, 4]], [[2, 4], [2, 4], [2, 12]]],
    lltm_sequence_forward: [[[5, 2, 3], [12, 7], [12], [2, 4], [2, 4]], [[5, 2, 4], [5, 2, 4], [5, 2, 12]]],
};

function run() {
    let count = 0;
    for (const [name, shapes] of Object.entries(SHAPES)) {
        const [inputs, outputs] = shapes.map((list) => list.map((shape) => Tensor.zeros(...shape)));
        call(name, inputs, outputs);
        for (const { data } of [...inputs, ...outputs]) {
            assert.equal(data[0], MARK, name);
            ++count;
        }
    }
    console.log(`marks ${count}`);
}

module.exports = { run };
