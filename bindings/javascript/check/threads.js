// bindings/javascript/check/threads.js: results and errors of worker threads that call at once.
'use strict';

const assert = require('node:assert/strict');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const { MyLibError, Tensor, addForward, linearForward } = require('..');

const [THREADS, ROUNDS, FAILURES, SIZE] = [8, 20, 500, 256];

async function run() {
    const workers = Array.from({ length: THREADS }, (_, i) => new Promise((resolve, reject) => {
        const worker = new Worker(__filename, { workerData: i + 1 });
        worker.on('error', reject);
        worker.on('exit', resolve);
    }));
    for (const status of await Promise.all(workers)) assert.equal(status, 0);
    console.log(`threads ${THREADS * ROUNDS * (2 + FAILURES)}`);
}

// One large call, one small call and many that fail, with numbers and shapes of the thread's own.
function round(own) {
    const filled = (value, ...shape) => {
        const tensor = Tensor.zeros(...shape);
        tensor.data.fill(value);
        return tensor;
    };
    const product = linearForward(filled(1, SIZE, SIZE), filled(own, SIZE, SIZE), null);
    assert(product.data.every((value) => value === own * SIZE), `linear: expected ${own * SIZE}`);
    const sum = addForward(filled(own, 25), filled(1, 25));
    assert(sum.data.every((value) => value === own + 1), `add: expected ${own + 1}`);
    const [one, two] = [Tensor.zeros(1, own), Tensor.zeros(2, own)];
    const message = `input2: expected shape (1, ${own}), got (2, ${own})`;
    for (let i = 0; i < FAILURES; ++i) {
        try {
            addForward(one, two, one);
        } catch (failure) {
            if (failure instanceof MyLibError && failure.message === message) continue;
            throw failure;
        }
        throw new Error(`expected ${message}, got no error`);
    }
}

if (!isMainThread) for (let i = 0; i < ROUNDS; ++i) round(workerData);

module.exports = { run };
