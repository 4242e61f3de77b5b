// bindings/csharp/check/Marks.cs: whether C gets the arrays themselves.
using System;
using System.Collections.Generic;
using System.Linq;

namespace TorchThaw.Check
{
    /// <summary>
    /// The stand-in of bindings/marks writes a number into element 0 of every array that it gets, inputs too. It would
    /// not be seen in an array of which C got a copy.
    /// </summary>
    internal static class Marks
    {
        private const float Mark = 1234.5f;

        private static long[] S(params long[] shape)
        {
            return shape;
        }

        /// <summary>The shapes of inputs and outputs, with 5 steps, batch 2, 3 features, and 4 for the state.</summary>
        private static readonly Dictionary<string, long[][][]> Shapes = new Dictionary<string, long[][][]>
        {
            { "add_forward", new[] { new[] { S(2, 3), S(2, 3) }, new[] { S(2, 3) } } },
            { "linear_forward", new[] { new[] { S(2, 3), S(4, 3), S(4) }, new[] { S(2, 4) } } },
            { "lltm_forward", new[] {
                new[] { S(2, 3), S(12, 7), S(12), S(2, 4), S(2, 4) }, new[] { S(2, 4), S(2, 4), S(2, 12) } } },
            { "lltm_sequence_forward", new[] {
                new[] { S(5, 2, 3), S(12, 7), S(12), S(2, 4), S(2, 4) },
                new[] { S(5, 2, 4), S(5, 2, 4), S(5, 2, 12) } } },
        };

        internal static void Run()
        {
            int count = 0;
            foreach (KeyValuePair<string, long[][][]> each in Shapes)
            {
                float[][][] arrays = each.Value.Select(list => list.Select(
                    shape => new float[shape.Aggregate(1L, (product, size) => product * size)]).ToArray()).ToArray();
                Tensor[][] tensors = arrays.Select((list, i) => list.Select(
                    (array, j) => new Tensor(array, each.Value[i][j])).ToArray()).ToArray();
                Operator.ByName[each.Key].Into(tensors[0], tensors[1]);
                foreach (float[] array in arrays[0].Concat(arrays[1]))
                {
                    Program.That(array[0] == Mark, $"{each.Key}: {Mark}", array[0]);
                    ++count;
                }
            }
            Console.WriteLine($"marks {count}");
        }
    }
}
