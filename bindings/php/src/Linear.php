<?php

// bindings/php/src/Linear.php: the linear layer. Parameters have C's names, which errors name.
//
// input (batch, in_features), weight (out_features, in_features), bias (out_features), output (batch, out_features); a
// gradient has the shape of what it is the gradient of.

declare(strict_types=1);

namespace MyLib;

final class Linear
{
    /** output = input weight^T + bias. A null output makes a new one. Returns output. */
    public static function forward(
        Tensor $input,
        Tensor $weight,
        ?Tensor $bias = null,
        ?Tensor $output = null
    ): Tensor {
        [$batch, $in_features] = $input->sizes('input', 2);
        [$out_features] = $weight->sizes('weight', 2);
        $weight->expect('weight', $out_features, $in_features);
        $bias?->expect('bias', $out_features);
        $output ??= new Tensor([$batch, $out_features]);
        $output->expect('output', $batch, $out_features);
        $sizes = [$batch, $in_features, $out_features];
        $ffi = Library::ffi();
        $workspace = Library::workspace($ffi->my_lib_linear_forward_workspace_size(...$sizes));
        Library::check($ffi->my_lib_linear_forward(
            $input->data,
            $weight->data,
            $bias?->data,
            ...$sizes,
            ...[$output->data, ...$workspace]
        ));
        return $output;
    }

    /** The gradients that are given. weight is needed only for grad_input, input only for grad_weight. */
    public static function backward(
        Tensor $grad_output,
        ?Tensor $input = null,
        ?Tensor $weight = null,
        ?Tensor $grad_input = null,
        ?Tensor $grad_weight = null,
        ?Tensor $grad_bias = null
    ): void {
        [$batch, $out_features] = $grad_output->sizes('grad_output', 2);
        // without input and weight only grad_bias is possible
        $in_features = $input?->sizes('input', 2)[1] ?? $weight?->sizes('weight', 2)[1] ?? 0;
        $input?->expect('input', $batch, $in_features);
        $weight?->expect('weight', $out_features, $in_features);
        $grad_input?->expect('grad_input', $batch, $in_features);
        $grad_weight?->expect('grad_weight', $out_features, $in_features);
        $grad_bias?->expect('grad_bias', $out_features);
        $sizes = [$batch, $in_features, $out_features];
        $ffi = Library::ffi();
        $workspace = Library::workspace($ffi->my_lib_linear_backward_workspace_size(...$sizes));
        Library::check($ffi->my_lib_linear_backward(
            $grad_output->data,
            $input?->data,
            $weight?->data,
            ...$sizes,
            ...[$grad_input?->data, $grad_weight?->data, $grad_bias?->data, ...$workspace]
        ));
    }
}
