<?php

// bindings/php/tests/test.php: tensors, shapes, and the messages of the errors.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

use MyLib\{Add, Library, Linear, Lltm, MyLibException, Tensor};

function same(mixed $got, mixed $expected): void
{
    if ($got !== $expected) {
        throw new Exception('expected ' . json_encode($expected) . ', got ' . json_encode($got));
    }
}

function fails(string $name, string $message, callable $call): void
{
    try {
        $call();
    } catch (MyLibException $error) {
        same([$error->name, $error->getMessage()], [$name, $message]);
        same(Library::ffi()->my_lib_error_name($error->getCode()), $name);
        return;
    }
    throw new Exception("expected $name: $message");
}

const MISMATCH = 'MY_LIB_ERROR_SHAPE_MISMATCH';
const VALUE = 'MY_LIB_ERROR_INVALID_VALUE';

$a = new Tensor([2, 3], [1, 2, 3, 4, 5, 6]);
$b = new Tensor([3, 2]);
same(Add::forward($a, $a)->toArray(), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
same(Add::forward($a, $a, $a), $a);
same($a->data[5], 12.0);
same((new Tensor([2], pack('g*', 1, 2)))->toArray(), [1.0, 2.0]);
same((new Tensor([], [7]))->toArray(), [7.0]);
same((new Tensor([2, 0]))->toArray(), []);
$floats = FFI::new('float[2]');
$view = new Tensor([2], $floats);
Add::forward(new Tensor([2], [1, 2]), new Tensor([2], [3, 4]), $view);
same([$floats[0], $floats[1]], [4.0, 6.0]);

fails(MISMATCH, 'output: expected shape (2, 3), got (3, 2)', fn () => Add::forward($a, $a, $b));
fails(MISMATCH, 'grad_input2: expected shape (2, 3), got (3, 2)', fn () => Add::backward($a, grad_input2: $b));
fails(MISMATCH, 'input: expected 2 dimensions, got shape (3,)', fn () => Linear::forward(new Tensor([3]), $a));
fails(MISMATCH, 'weight: expected shape (3, 3), got (3, 2)', fn () => Linear::forward($a, $b));
fails(MISMATCH, 'bias: expected shape (2,), got (3,)', fn () => Linear::forward($a, $a, new Tensor([3])));
fails(
    'MY_LIB_ERROR_NULL_POINTER',
    'input: expected an array, got NULL',
    fn () => Linear::backward($a, weight: new Tensor([3, 2]), grad_weight: new Tensor([3, 2]))
);
fails(
    MISMATCH,
    'old_cell: expected shape (2, 3), got (2, 4)',
    fn () => Lltm::forward($b = new Tensor([2, 5]), new Tensor([9, 8]), new Tensor([9]), $a, new Tensor([2, 4]))
);
fails('MY_LIB_ERROR_INVALID_SIZE', 'shape: expected integers >= 0, got -1', fn () => new Tensor([2, -1]));
fails('MY_LIB_ERROR_INVALID_SIZE', 'shape: expected integers >= 0, got string', fn () => new Tensor(['2']));
fails(
    'MY_LIB_ERROR_SIZE_OVERFLOW',
    'shape: expected fewer elements, got (4611686018427387904, 2)',
    fn () => new Tensor([1 << 62, 2])
);
fails(MISMATCH, 'values: expected the elements of shape (2,), got 1 elements', fn () => new Tensor([2], [1]));
fails(MISMATCH, 'values: expected the elements of shape (1,), got 0.75 elements', fn () => new Tensor([1], 'abc'));
fails(VALUE, 'values: expected numbers, got array', fn () => new Tensor([1], [[1]]));
fails(VALUE, 'values: expected an array of floats, got double[1]', fn () => new Tensor([1], FFI::new('double[1]')));
fails(VALUE, 'num_threads: expected at least 0, got -1', fn () => Library::setNumThreads(-1));
Library::setNumThreads(1);
same(Library::numThreads(), 1);
same(str_contains(Library::buildInfo(), Library::version()), true);
