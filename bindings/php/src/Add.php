<?php

// bindings/php/src/Add.php: the addition. Parameters have C's names, which errors name; all arguments have one shape.

declare(strict_types=1);

namespace MyLib;

final class Add
{
    /** output = input1 + input2. output may be input1 or input2; null makes a new one. Returns output. */
    public static function forward(Tensor $input1, Tensor $input2, ?Tensor $output = null): Tensor
    {
        $output ??= new Tensor($input1->shape);
        $output->expect('output', ...$input1->shape);
        Library::check(Library::ffi()->my_lib_add_forward(
            $input1->data,
            $input1->sizes,
            $input1->ndim,
            $input2->data,
            $input2->sizes,
            $input2->ndim,
            $output->data
        ));
        return $output;
    }

    /** grad_input1 = grad_output, grad_input2 = grad_output: into those that are given. */
    public static function backward(Tensor $grad_output, ?Tensor $grad_input1 = null, ?Tensor $grad_input2 = null): void
    {
        $grad_input1?->expect('grad_input1', ...$grad_output->shape);
        $grad_input2?->expect('grad_input2', ...$grad_output->shape);
        Library::check(Library::ffi()->my_lib_add_backward(
            $grad_output->data,
            $grad_output->sizes,
            $grad_output->ndim,
            $grad_input1?->data,
            $grad_input2?->data
        ));
    }
}
