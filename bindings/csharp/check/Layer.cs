// bindings/csharp/check/Layer.cs: the checks that C cannot make.
using System;
using System.Collections.Generic;

namespace TorchThaw.Check
{
    internal static class Layer
    {
        internal static MyLibException Failure(Action call)
        {
            try
            {
                call();
            }
            catch (MyLibException failure)
            {
                return failure;
            }
            throw new Exception("expected a MyLibException, got none");
        }

        internal static void Expect(MyLibException failure, int code, string name, string text)
        {
            Program.That((int)failure.Code == code && failure.Name == name && failure.Message == text,
                $"{code} {name} {text}", $"{(int)failure.Code} {failure.Name} {failure.Message}");
        }

        internal static void Run()
        {
            Tensor state = Tensor.Zeros(2, 3), steps = Tensor.Zeros(5, 2, 3), input = Tensor.Zeros(2, 4);
            Tensor weights = Tensor.Zeros(9, 7), bias = Tensor.Zeros(9);
            var shapes = new Dictionary<string, Action>
            {
                { "values: expected 6 elements for shape (2, 3), got 5", () => new Tensor(new float[5], 2, 3) },
                { "output: expected shape (2, 3), got ()",
                    () => MyLib.AddForward(state, state, Tensor.Zeros()) },
                { "grad_input1: expected shape (2, 3), got (2, 4)",
                    () => MyLib.AddBackward(state, new AddGradients { Input1 = input }) },
                { "input: expected 2 sizes, got shape (9,)", () => MyLib.LinearForward(bias, weights, bias) },
                { "weight: expected shape (9, 4), got (9, 7)", () => MyLib.LinearForward(input, weights, null) },
                { "grad_bias: expected shape (3,), got (9,)",
                    () => MyLib.LinearBackward(state, null, null, new LinearGradients { Bias = bias }) },
                { "weights: expected shape (9, 6), got (9, 7)",
                    () => MyLib.LltmForward(state, weights, bias, state, state) },
                { "cell: expected shape (5, 2, 3), got (2, 3)",
                    () => MyLib.LltmSequenceForward(
                        Tensor.Zeros(5, 2, 4), weights, bias, state, state,
                        new LltmStates { H = steps, Cell = state }) },
            };
            foreach (KeyValuePair<string, Action> each in shapes)
                Expect(Failure(each.Value), (int)ErrorCode.ShapeMismatch, "MY_LIB_ERROR_SHAPE_MISMATCH", each.Key);
            Expect(Failure(() => MyLib.AddForward(state, null)), (int)ErrorCode.NullPointer,
                "MY_LIB_ERROR_NULL_POINTER", "input2: expected a tensor, got null");
            Expect(Failure(() => Tensor.Zeros(-1)), (int)ErrorCode.InvalidSize,
                "MY_LIB_ERROR_INVALID_SIZE", "shape: expected sizes >= 0, got shape (-1,)");
            Expect(Failure(() => MyLib.NumThreads = -1), (int)ErrorCode.InvalidValue,
                "MY_LIB_ERROR_INVALID_VALUE", "num_threads: expected at least 0, got -1");
        }
    }
}
