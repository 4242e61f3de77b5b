<?php

// bindings/php/src/Lltm.php: the LLTM, one step and a sequence. Parameters have C's names, which errors name.
//
// input (batch, input_size), weights (3 * state_size, state_size + input_size), bias (3 * state_size), a state (batch,
// state_size), gates (batch, 3 * state_size); of a sequence input, h, cell and gates have seq_len as a further, first
// size. A gradient has the shape of what it is the gradient of.

declare(strict_types=1);

namespace MyLib;

final class Lltm
{
    /** One step. Null for new_h or new_cell makes a new one; backward needs gates. Returns [new_h, new_cell]. */
    public static function forward(
        Tensor $input,
        Tensor $weights,
        Tensor $bias,
        Tensor $old_h,
        Tensor $old_cell,
        ?Tensor $new_h = null,
        ?Tensor $new_cell = null,
        ?Tensor $gates = null
    ): array {
        [$batch, $input_size] = $input->sizes('input', 2);
        $state_size = self::stateSize($old_h, $weights, $batch, $input_size);
        $bias->expect('bias', 3 * $state_size);
        $old_cell->expect('old_cell', $batch, $state_size);
        $new_h ??= new Tensor([$batch, $state_size]);
        $new_cell ??= new Tensor([$batch, $state_size]);
        $new_h->expect('new_h', $batch, $state_size);
        $new_cell->expect('new_cell', $batch, $state_size);
        $gates?->expect('gates', $batch, 3 * $state_size);
        self::call(
            'lltm_forward',
            [$input, $weights, $bias, $old_h, $old_cell],
            [$batch, $input_size, $state_size],
            [$new_h, $new_cell, $gates]
        );
        return [$new_h, $new_cell];
    }

    /** The gradients that are given, d_*. new_cell and gates are what forward gave. */
    public static function backward(
        Tensor $grad_h,
        Tensor $grad_cell,
        Tensor $new_cell,
        Tensor $gates,
        Tensor $input,
        Tensor $old_h,
        Tensor $weights,
        ?Tensor $d_input = null,
        ?Tensor $d_weights = null,
        ?Tensor $d_bias = null,
        ?Tensor $d_old_h = null,
        ?Tensor $d_old_cell = null
    ): void {
        [$batch, $input_size] = $input->sizes('input', 2);
        $state_size = self::stateSize($old_h, $weights, $batch, $input_size);
        $grad_h->expect('grad_h', $batch, $state_size);
        $grad_cell->expect('grad_cell', $batch, $state_size);
        $new_cell->expect('new_cell', $batch, $state_size);
        $gates->expect('gates', $batch, 3 * $state_size);
        $d_input?->expect('d_input', $batch, $input_size);
        $d_weights?->expect('d_weights', ...$weights->shape);
        $d_bias?->expect('d_bias', 3 * $state_size);
        $d_old_h?->expect('d_old_h', $batch, $state_size);
        $d_old_cell?->expect('d_old_cell', $batch, $state_size);
        self::call(
            'lltm_backward',
            [$grad_h, $grad_cell, $new_cell, $gates, $input, $old_h, $weights],
            [$batch, $input_size, $state_size],
            [$d_input, $d_weights, $d_bias, $d_old_h, $d_old_cell]
        );
    }

    /** seq_len steps. Null for h or cell makes a new one; backward needs gates. Returns [h, cell]. */
    public static function sequenceForward(
        Tensor $input,
        Tensor $weights,
        Tensor $bias,
        Tensor $old_h,
        Tensor $old_cell,
        ?Tensor $h = null,
        ?Tensor $cell = null,
        ?Tensor $gates = null
    ): array {
        [$seq_len, $batch, $input_size] = $input->sizes('input', 3);
        $state_size = self::stateSize($old_h, $weights, $batch, $input_size);
        $bias->expect('bias', 3 * $state_size);
        $old_cell->expect('old_cell', $batch, $state_size);
        $h ??= new Tensor([$seq_len, $batch, $state_size]);
        $cell ??= new Tensor([$seq_len, $batch, $state_size]);
        $h->expect('h', $seq_len, $batch, $state_size);
        $cell->expect('cell', $seq_len, $batch, $state_size);
        $gates?->expect('gates', $seq_len, $batch, 3 * $state_size);
        self::call(
            'lltm_sequence_forward',
            [$input, $weights, $bias, $old_h, $old_cell],
            [$seq_len, $batch, $input_size, $state_size],
            [$h, $cell, $gates]
        );
        return [$h, $cell];
    }

    /**
     * The gradients that are given, d_*. grad_last_h and grad_last_cell are further gradients of the last state, and
     * null counts as zero; h, cell and gates are what forward gave.
     */
    public static function sequenceBackward(
        Tensor $grad_h,
        ?Tensor $grad_last_h,
        ?Tensor $grad_last_cell,
        Tensor $cell,
        Tensor $gates,
        Tensor $input,
        Tensor $h,
        Tensor $old_h,
        Tensor $old_cell,
        Tensor $weights,
        ?Tensor $d_input = null,
        ?Tensor $d_weights = null,
        ?Tensor $d_bias = null,
        ?Tensor $d_old_h = null,
        ?Tensor $d_old_cell = null
    ): void {
        [$seq_len, $batch, $input_size] = $input->sizes('input', 3);
        $state_size = self::stateSize($old_h, $weights, $batch, $input_size);
        $grad_h->expect('grad_h', $seq_len, $batch, $state_size);
        $grad_last_h?->expect('grad_last_h', $batch, $state_size);
        $grad_last_cell?->expect('grad_last_cell', $batch, $state_size);
        $cell->expect('cell', $seq_len, $batch, $state_size);
        $gates->expect('gates', $seq_len, $batch, 3 * $state_size);
        $h->expect('h', $seq_len, $batch, $state_size);
        $old_cell->expect('old_cell', $batch, $state_size);
        $d_input?->expect('d_input', $seq_len, $batch, $input_size);
        $d_weights?->expect('d_weights', ...$weights->shape);
        $d_bias?->expect('d_bias', 3 * $state_size);
        $d_old_h?->expect('d_old_h', $batch, $state_size);
        $d_old_cell?->expect('d_old_cell', $batch, $state_size);
        self::call(
            'lltm_sequence_backward',
            [$grad_h, $grad_last_h, $grad_last_cell, $cell, $gates, $input, $h, $old_h, $old_cell, $weights],
            [$seq_len, $batch, $input_size, $state_size],
            [$d_input, $d_weights, $d_bias, $d_old_h, $d_old_cell]
        );
    }

    /** Checks the two arguments that every function has, and returns state_size. */
    private static function stateSize(Tensor $old_h, Tensor $weights, int $batch, int $input_size): int
    {
        $state_size = $old_h->sizes('old_h', 2)[1];
        $old_h->expect('old_h', $batch, $state_size);
        $weights->expect('weights', 3 * $state_size, $state_size + $input_size);
        return $state_size;
    }

    /** The arguments of C: arrays that it reads, sizes, arrays that it writes, workspace. */
    private static function call(string $function, array $read, array $sizes, array $written): void
    {
        $data = fn (?Tensor $tensor) => $tensor?->data;
        $ffi = Library::ffi();
        $workspace = Library::workspace($ffi->{"{$function}_workspace_size"}(...$sizes));
        $arguments = [...array_map($data, $read), ...$sizes, ...array_map($data, $written), ...$workspace];
        Library::check($ffi->$function(...$arguments));
    }
}
