// bindings/csharp/check/Vectors.cs: every case and every error of bindings/vectors.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace TorchThaw.Check
{
    internal static class Vectors
    {
        /// <summary>Shape is null where the argument is absent.</summary>
        private struct Named
        {
            internal string Name;
            internal long[] Shape;
        }

        /// <summary>A case or an error: the words of its first line, and the lines up to `end`.</summary>
        private sealed class Entry
        {
            internal string[] Head;
            internal string Text;
            internal readonly Dictionary<string, long> Sizes = new Dictionary<string, long>();
            internal readonly List<Named> In = new List<Named>();
            internal readonly List<Named> Out = new List<Named>();

            internal void Add(string line)
            {
                string[] words = line.Split(' ');
                if (words[0] == "size")
                    Sizes[words[1]] = long.Parse(words[2]);
                else if (words[0] == "text")
                    Text = line.Substring("text ".Length);
                else
                    (words[0] == "in" ? In : Out).Add(new Named
                    {
                        Name = words[1], Shape = words[2] == "-1" ? null : words.Skip(3).Select(long.Parse).ToArray()
                    });
            }
        }

        internal static void Run(string folder)
        {
            int cases = 0, errors = 0;
            Entry entry = null;
            foreach (string line in File.ReadLines(Path.Combine(folder, "index.txt")))
            {
                if (entry == null)
                {
                    entry = new Entry { Head = line.Split(' ') };
                    continue;
                }
                if (line != "end")
                {
                    entry.Add(line);
                    continue;
                }
                try
                {
                    if (entry.Head[0] == "case")
                    {
                        CheckCase(entry, File.ReadAllBytes(Path.Combine(folder, entry.Head[3])));
                        ++cases;
                    }
                    else
                    {
                        CheckError(entry);
                        ++errors;
                    }
                }
                catch (Exception failure)
                {
                    throw new Exception($"{entry.Head[1]}: {failure.Message}", failure);
                }
                entry = null;
            }
            Layer.Run();
            Console.WriteLine($"vectors {cases}");
            Console.WriteLine($"errors {errors}");
        }

        private static void CheckCase(Entry entry, byte[] content)
        {
            var numbers = new float[content.Length / sizeof(float)];
            Buffer.BlockCopy(content, 0, numbers, 0, content.Length);
            int next = 0;
            Tensor[] input = Read(entry.In, numbers, ref next), expected = Read(entry.Out, numbers, ref next);
            Program.That(next == numbers.Length, $"{numbers.Length} numbers", next);
            Operator run = Operator.ByName[entry.Head[2]];
            Tensor[] output = expected.Select(
                each => each == null ? null : Program.Filled(float.NaN, each.Shape)).ToArray();
            run.Into(input, output);
            Compare(entry, output, expected);
            if (!expected.Contains(null))
                Compare(entry, run.New(input), expected);
        }

        private static Tensor[] Read(List<Named> arrays, float[] numbers, ref int next)
        {
            var found = new Tensor[arrays.Count];
            for (int i = 0; i < found.Length; ++i)
                if (arrays[i].Shape != null)
                {
                    int count = (int)arrays[i].Shape.Aggregate(1L, (product, size) => product * size);
                    found[i] = new Tensor(numbers.AsMemory(next, count), arrays[i].Shape);
                    next += count;
                }
            return found;
        }

        private static void Compare(Entry entry, Tensor[] output, Tensor[] expected)
        {
            double rtol = double.Parse(entry.Head[4]), atol = double.Parse(entry.Head[5]);
            for (int i = 0; i < expected.Length; ++i)
                for (int j = 0; expected[i] != null && j < expected[i].Span.Length; ++j)
                {
                    double wanted = expected[i].Span[j], got = output[i].Span[j];
                    Program.That(Math.Abs(got - wanted) <= atol + rtol * Math.Abs(wanted),
                        $"{entry.Out[i].Name}[{j}] {wanted}", got);
                }
        }

        private static void CheckError(Entry entry)
        {
            Tensor[] input = entry.In.Select(each => Tensor.Zeros(each.Shape)).ToArray();
            Dictionary<string, long> s = entry.Sizes;
            MyLibException failure = Layer.Failure(() =>
            {
                if (entry.Head[1] == "add_forward-shapes")
                    MyLib.AddForward(input[0], input[1]);
                else if (entry.Head[1] == "linear_forward-negative")
                    Raw.LinearForward(s["batch"], s["in_features"], s["out_features"]);
                else if (entry.Head[1] == "lltm_forward-workspace")
                    Raw.LltmForward(input, s["batch"], s["input_size"], s["state_size"]);
            });
            Layer.Expect(failure, int.Parse(entry.Head[3]), entry.Head[4], entry.Text);
        }
    }
}
