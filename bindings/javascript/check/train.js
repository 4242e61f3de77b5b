// bindings/javascript/check/train.js: bindings/c/train.c in JavaScript: an LLTM learns a sum of products.
'use strict';

const { Tensor, linearBackward, linearForward, lltmSequenceBackward, lltmSequenceForward } = require('..');

const [SEQ_LEN, BATCH, INPUT, STATE, STEPS] = [8, 16, 2, 16, 200];
const float = Math.fround;
const LEARNING_RATE = float(0.1);

let generator = 2463534242;

// Uniform between -0.5 and 0.5: xorshift32.
function uniform() {
    generator ^= generator << 13;
    generator ^= generator >>> 17;
    generator ^= generator << 5;
    return (generator >>> 8) / 16777216 - 0.5;
}

// Products are rounded to float32 as they are stored.
function draw(tensor, scale) {
    for (let i = 0; i < tensor.data.length; ++i) tensor.data[i] = uniform() * scale;
    return tensor;
}

// Prints the loss of the last step.
function run() {
    const weights = draw(Tensor.zeros(3 * STATE, STATE + INPUT), 0.5);
    const bias = Tensor.zeros(3 * STATE);
    const headWeight = draw(Tensor.zeros(1, STATE), 0.5);
    const headBias = Tensor.zeros(1);
    const gradients = { weights: Tensor.zeros(...weights.shape), bias: Tensor.zeros(...bias.shape) };
    const headGradients = {
        input: Tensor.zeros(BATCH, STATE), weight: Tensor.zeros(...headWeight.shape), bias: Tensor.zeros(1),
    };
    const parameters = [
        [weights, gradients.weights], [bias, gradients.bias],
        [headWeight, headGradients.weight], [headBias, headGradients.bias],
    ];
    const input = Tensor.zeros(SEQ_LEN, BATCH, INPUT);
    const state = Tensor.zeros(BATCH, STATE);
    const gradH = Tensor.zeros(SEQ_LEN, BATCH, STATE);
    const gradOutput = Tensor.zeros(BATCH, 1);
    let loss = 0;
    for (let step = 0; step < STEPS; ++step) {
        draw(input, 2);
        const { h, cell, gates } = lltmSequenceForward(input, weights, bias, state, state);
        const last = new Tensor(h.data.subarray((SEQ_LEN - 1) * BATCH * STATE), [BATCH, STATE]);
        const output = linearForward(last, headWeight, headBias);
        loss = meanSquare(input.data, output.data, gradOutput.data);
        linearBackward(gradOutput, last, headWeight, headGradients);
        lltmSequenceBackward(
            gradH, headGradients.input, null, cell, gates, input, h, state, state, weights, gradients);
        for (const [{ data }, gradient] of parameters) {
            for (let i = 0; i < data.length; ++i) data[i] -= float(LEARNING_RATE * gradient.data[i]);
        }
    }
    console.log(`loss ${loss.toFixed(6)}`);
}

// The loss; fills its gradient.
function meanSquare(input, output, gradOutput) {
    let sum = 0;
    for (let b = 0; b < BATCH; ++b) {
        let target = 0;
        for (let t = 0; t < SEQ_LEN; ++t) {
            const at = (t * BATCH + b) * INPUT;
            target = float(target + float(input[at] * input[at + 1]));
        }
        const difference = float(output[b] - target);
        sum += difference * difference;
        gradOutput[b] = (2 * difference) / BATCH;
    }
    return sum / BATCH;
}

module.exports = { run };
