// bindings/csharp/check/Operator.cs: the functions by the names of C, on arrays of tensors.
using System;
using System.Collections.Generic;

namespace TorchThaw.Check
{
    /// <summary>A function in its two forms. Tensors are in the order of the C prototype, null where absent.</summary>
    internal sealed class Operator
    {
        internal Action<Tensor[], Tensor[]> Into;
        internal Func<Tensor[], Tensor[]> New;

        internal static readonly Dictionary<string, Operator> ByName = new Dictionary<string, Operator>
        {
            { "add_forward", new Operator {
                Into = (x, y) => MyLib.AddForward(x[0], x[1], y[0]),
                New = x => new[] { MyLib.AddForward(x[0], x[1]) } } },
            { "add_backward", new Operator {
                Into = (x, y) => MyLib.AddBackward(x[0], new AddGradients { Input1 = y[0], Input2 = y[1] }),
                New = x => {
                    AddGradients found = MyLib.AddBackward(x[0]);
                    return new[] { found.Input1, found.Input2 };
                } } },
            { "linear_forward", new Operator {
                Into = (x, y) => MyLib.LinearForward(x[0], x[1], x[2], y[0]),
                New = x => new[] { MyLib.LinearForward(x[0], x[1], x[2]) } } },
            { "linear_backward", new Operator {
                Into = (x, y) => MyLib.LinearBackward(
                    x[0], x[1], x[2], new LinearGradients { Input = y[0], Weight = y[1], Bias = y[2] }),
                New = x => {
                    LinearGradients found = MyLib.LinearBackward(x[0], x[1], x[2]);
                    return new[] { found.Input, found.Weight, found.Bias };
                } } },
            { "lltm_forward", new Operator {
                Into = (x, y) => MyLib.LltmForward(x[0], x[1], x[2], x[3], x[4], States(y)),
                New = x => Array(MyLib.LltmForward(x[0], x[1], x[2], x[3], x[4])) } },
            { "lltm_backward", new Operator {
                Into = (x, y) => MyLib.LltmBackward(x[0], x[1], x[2], x[3], x[4], x[5], x[6], Gradients(y)),
                New = x => Array(MyLib.LltmBackward(x[0], x[1], x[2], x[3], x[4], x[5], x[6])) } },
            { "lltm_sequence_forward", new Operator {
                Into = (x, y) => MyLib.LltmSequenceForward(x[0], x[1], x[2], x[3], x[4], States(y)),
                New = x => Array(MyLib.LltmSequenceForward(x[0], x[1], x[2], x[3], x[4])) } },
            { "lltm_sequence_backward", new Operator {
                Into = (x, y) => MyLib.LltmSequenceBackward(
                    x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], Gradients(y)),
                New = x => Array(MyLib.LltmSequenceBackward(
                    x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9])) } },
        };

        private static LltmStates States(Tensor[] y)
        {
            return new LltmStates { H = y[0], Cell = y[1], Gates = y[2] };
        }

        private static LltmGradients Gradients(Tensor[] y)
        {
            return new LltmGradients { Input = y[0], Weights = y[1], Bias = y[2], OldH = y[3], OldCell = y[4] };
        }

        private static Tensor[] Array(LltmStates found)
        {
            return new[] { found.H, found.Cell, found.Gates };
        }

        private static Tensor[] Array(LltmGradients found)
        {
            return new[] { found.Input, found.Weights, found.Bias, found.OldH, found.OldCell };
        }
    }
}
