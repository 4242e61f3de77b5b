// bindings/javascript/check/main.js: the test program; docs/languages.md describes its arguments.
'use strict';

const myLib = require('..');

const tasks = {
    vectors: ([folder]) => require('./vectors').run(folder),
    marks: () => require('./marks').run(),
    threads: () => require('./threads').run(),
    time,
    train: () => require('./train').run(),
    version: () => console.log(`version ${myLib.version()}`),
};

// One add of 25 elements: the minimum over short loops, in nanoseconds.
function time() {
    const loops = 1000;
    const calls = 1000;
    const tensor = (value) => new myLib.Tensor(new Float32Array(25).fill(value), [25]);
    const [input1, input2, output] = [tensor(1), tensor(2), tensor(0)];
    let least = Infinity;
    for (let i = 0; i < loops; ++i) {
        const start = process.hrtime.bigint();
        for (let j = 0; j < calls; ++j) myLib.addForward(input1, input2, output);
        least = Math.min(least, Number(process.hrtime.bigint() - start) / calls);
    }
    console.log(`time ${least.toFixed(1)}`);
}

const [task, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(tasks, task)) throw new Error('expected vectors DIR, marks, threads, time, train or version');
tasks[task](rest);
