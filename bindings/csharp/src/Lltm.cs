// bindings/csharp/src/Lltm.cs: lltm_forward and lltm_backward, and those of a sequence.
using System.Linq;

namespace TorchThaw
{
    /// <summary>
    /// The results of the LLTM. A step gives H and Cell (batch, state_size) and Gates (batch, 3 * state_size), a
    /// sequence those of each step, (seq_len, batch, ...). Only backward needs Gates; null where not wanted.
    /// </summary>
    public struct LltmStates
    {
        public Tensor H, Cell, Gates;
    }

    /// <summary>The gradients of the LLTM, in the shapes of its inputs; null where not wanted.</summary>
    public struct LltmGradients
    {
        public Tensor Input, Weights, Bias, OldH, OldCell;
    }

    /// <summary>Lead are the sizes before the last one of what has a value for each step.</summary>
    internal struct LltmSizes
    {
        internal long[] Lead;
        internal long SeqLen, Batch, InputSize, StateSize;

        /// <summary>ndim: that of input, 2 for a step and 3 for a sequence.</summary>
        private static LltmSizes Of(int ndim, Tensor input, Tensor weights, Tensor oldH)
        {
            long[] sizes = Checks.Sizes("input", input, ndim);
            var s = new LltmSizes
            {
                Lead = sizes.Take(ndim - 1).ToArray(), SeqLen = sizes[0], Batch = sizes[ndim - 2],
                InputSize = sizes[ndim - 1], StateSize = Checks.Sizes("old_h", oldH, 2)[1]
            };
            Checks.Shape("weights", weights, s.Weights);
            Checks.Shape("old_h", oldH, s.State);
            return s;
        }

        internal static LltmSizes OfForward(
            int ndim, Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell)
        {
            LltmSizes s = Of(ndim, input, weights, oldH);
            Checks.Shape("bias", bias, s.Bias);
            Checks.Shape("old_cell", oldCell, s.State);
            return s;
        }

        internal static LltmSizes OfBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights)
        {
            LltmSizes s = Of(2, input, weights, oldH);
            Checks.Shape("grad_h", gradH, s.State);
            Checks.Shape("grad_cell", gradCell, s.State);
            Checks.Shape("new_cell", newCell, s.State);
            Checks.Shape("gates", gates, s.Each(3 * s.StateSize));
            return s;
        }

        internal static LltmSizes OfSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights)
        {
            LltmSizes s = Of(3, input, weights, oldH);
            Checks.Shape("grad_h", gradH, s.Each(s.StateSize));
            Checks.Optional("grad_last_h", gradLastH, s.State);
            Checks.Optional("grad_last_cell", gradLastCell, s.State);
            Checks.Shape("cell", cell, s.Each(s.StateSize));
            Checks.Shape("gates", gates, s.Each(3 * s.StateSize));
            Checks.Shape("h", h, s.Each(s.StateSize));
            Checks.Shape("old_cell", oldCell, s.State);
            return s;
        }

        internal void Check(string h, string cell, LltmStates states)
        {
            Checks.Shape(h, states.H, Each(StateSize));
            Checks.Shape(cell, states.Cell, Each(StateSize));
            Checks.Optional("gates", states.Gates, Each(3 * StateSize));
        }

        internal void Check(LltmGradients gradients)
        {
            Checks.Optional("d_input", gradients.Input, Each(InputSize));
            Checks.Optional("d_weights", gradients.Weights, Weights);
            Checks.Optional("d_bias", gradients.Bias, Bias);
            Checks.Optional("d_old_h", gradients.OldH, State);
            Checks.Optional("d_old_cell", gradients.OldCell, State);
        }

        internal LltmStates NewStates()
        {
            return new LltmStates
            {
                H = Tensor.Zeros(Each(StateSize)), Cell = Tensor.Zeros(Each(StateSize)),
                Gates = Tensor.Zeros(Each(3 * StateSize))
            };
        }

        internal LltmGradients NewGradients()
        {
            return new LltmGradients
            {
                Input = Tensor.Zeros(Each(InputSize)), Weights = Tensor.Zeros(Weights), Bias = Tensor.Zeros(Bias),
                OldH = Tensor.Zeros(State), OldCell = Tensor.Zeros(State)
            };
        }

        private long[] Each(long last)
        {
            return Lead.Concat(new[] { last }).ToArray();
        }

        private long[] Weights => new[] { 3 * StateSize, StateSize + InputSize };

        private long[] Bias => new[] { 3 * StateSize };

        private long[] State => new[] { Batch, StateSize };
    }

    public static unsafe partial class MyLib
    {
        /// <summary>
        /// One step, of input (batch, input_size), weights (3 * state_size, state_size + input_size),
        /// bias (3 * state_size), oldH and oldCell (batch, state_size).
        /// </summary>
        public static LltmStates LltmForward(Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell)
        {
            LltmStates states = LltmSizes.OfForward(2, input, weights, bias, oldH, oldCell).NewStates();
            LltmForward(input, weights, bias, oldH, oldCell, states);
            return states;
        }

        public static void LltmForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell, LltmStates states)
        {
            LltmSizes s = LltmSizes.OfForward(2, input, weights, bias, oldH, oldCell);
            s.Check("new_h", "new_cell", states);
            long[] scratch = Workspace(Native.lltm_forward_workspace_size(s.Batch, s.InputSize, s.StateSize));
            fixed (long* work = scratch)
            fixed (float* x = &Pin(input), w = &Pin(weights), b = &Pin(bias), h0 = &Pin(oldH), c0 = &Pin(oldCell))
            fixed (float* h = &Pin(states.H), c = &Pin(states.Cell), gates = &Pin(states.Gates))
                Check(Native.lltm_forward(
                    x, w, b, h0, c0, s.Batch, s.InputSize, s.StateSize, h, c, gates, work, Bytes(scratch)));
        }

        /// <summary>
        /// gradH and gradCell are the gradients of H and Cell; newCell and gates are what forward gave.
        /// </summary>
        public static LltmGradients LltmBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights)
        {
            LltmGradients gradients =
                LltmSizes.OfBackward(gradH, gradCell, newCell, gates, input, oldH, weights).NewGradients();
            LltmBackward(gradH, gradCell, newCell, gates, input, oldH, weights, gradients);
            return gradients;
        }

        public static void LltmBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights,
            LltmGradients gradients)
        {
            LltmSizes s = LltmSizes.OfBackward(gradH, gradCell, newCell, gates, input, oldH, weights);
            s.Check(gradients);
            long[] scratch = Workspace(Native.lltm_backward_workspace_size(s.Batch, s.InputSize, s.StateSize));
            fixed (long* work = scratch)
            fixed (float* gh = &Pin(gradH), gc = &Pin(gradCell), c = &Pin(newCell), g = &Pin(gates), x = &Pin(input))
            fixed (float* h0 = &Pin(oldH), w = &Pin(weights), dx = &Pin(gradients.Input), dw = &Pin(gradients.Weights))
            fixed (float* db = &Pin(gradients.Bias), dh = &Pin(gradients.OldH), dc = &Pin(gradients.OldCell))
                Check(Native.lltm_backward(
                    gh, gc, c, g, x, h0, w, s.Batch, s.InputSize, s.StateSize, dx, dw, db, dh, dc,
                    work, Bytes(scratch)));
        }

        /// <summary>The steps of input (seq_len, batch, input_size), each from the state of the one before.</summary>
        public static LltmStates LltmSequenceForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell)
        {
            LltmStates states = LltmSizes.OfForward(3, input, weights, bias, oldH, oldCell).NewStates();
            LltmSequenceForward(input, weights, bias, oldH, oldCell, states);
            return states;
        }

        public static void LltmSequenceForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell, LltmStates states)
        {
            LltmSizes s = LltmSizes.OfForward(3, input, weights, bias, oldH, oldCell);
            s.Check("h", "cell", states);
            long[] scratch = Workspace(
                Native.lltm_sequence_forward_workspace_size(s.SeqLen, s.Batch, s.InputSize, s.StateSize));
            fixed (long* work = scratch)
            fixed (float* x = &Pin(input), w = &Pin(weights), b = &Pin(bias), h0 = &Pin(oldH), c0 = &Pin(oldCell))
            fixed (float* h = &Pin(states.H), c = &Pin(states.Cell), gates = &Pin(states.Gates))
                Check(Native.lltm_sequence_forward(
                    x, w, b, h0, c0, s.SeqLen, s.Batch, s.InputSize, s.StateSize, h, c, gates, work, Bytes(scratch)));
        }

        /// <summary>
        /// gradH is the gradient of every step's H; gradLastH and gradLastCell are further gradients of the last state,
        /// and either may be null. cell, gates and h are what forward gave.
        /// </summary>
        public static LltmGradients LltmSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights)
        {
            LltmGradients gradients = LltmSizes.OfSequenceBackward(
                gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights).NewGradients();
            LltmSequenceBackward(
                gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights, gradients);
            return gradients;
        }

        public static void LltmSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights, LltmGradients gradients)
        {
            LltmSizes s = LltmSizes.OfSequenceBackward(
                gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights);
            s.Check(gradients);
            long[] scratch = Workspace(
                Native.lltm_sequence_backward_workspace_size(s.SeqLen, s.Batch, s.InputSize, s.StateSize));
            fixed (long* work = scratch)
            fixed (float* gh = &Pin(gradH), gl = &Pin(gradLastH), gc = &Pin(gradLastCell), c = &Pin(cell))
            fixed (float* g = &Pin(gates), x = &Pin(input), hs = &Pin(h), h0 = &Pin(oldH), c0 = &Pin(oldCell))
            fixed (float* w = &Pin(weights), dx = &Pin(gradients.Input), dw = &Pin(gradients.Weights))
            fixed (float* db = &Pin(gradients.Bias), dh = &Pin(gradients.OldH), dc = &Pin(gradients.OldCell))
                Check(Native.lltm_sequence_backward(
                    gh, gl, gc, c, g, x, hs, h0, c0, w, s.SeqLen, s.Batch, s.InputSize, s.StateSize,
                    dx, dw, db, dh, dc, work, Bytes(scratch)));
        }
    }
}
