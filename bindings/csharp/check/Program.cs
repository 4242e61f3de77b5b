// bindings/csharp/check/Program.cs: the test program; docs/languages.md describes its arguments.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;

namespace TorchThaw.Check
{
    internal static class Program
    {
        private static readonly Dictionary<string, Action<string[]>> Tasks = new Dictionary<string, Action<string[]>>
        {
            { "vectors", arguments => Vectors.Run(arguments[1]) },
            { "marks", arguments => Marks.Run() },
            { "threads", arguments => Threads.Run() },
            { "time", arguments => Time() },
            { "version", arguments => Console.WriteLine("version " + MyLib.Version) },
        };

        private static int Main(string[] arguments)
        {
            CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
            try
            {
                Tasks[arguments[0]](arguments);
                return 0;
            }
            catch (Exception failure)
            {
                Console.Error.WriteLine(failure);
                return 1;
            }
        }

        internal static void That(bool condition, string expected, object got)
        {
            if (!condition)
                throw new Exception($"expected {expected}, got {got}");
        }

        internal static Tensor Filled(float value, params long[] shape)
        {
            Tensor tensor = Tensor.Zeros(shape);
            tensor.Span.Fill(value);
            return tensor;
        }

        /// <summary>One add of 25 elements: the minimum over short loops, in nanoseconds.</summary>
        private static void Time()
        {
            const int loops = 1000, calls = 2000;
            Tensor input1 = Filled(1, 25), input2 = Filled(2, 25), output = Tensor.Zeros(25);
            double least = double.PositiveInfinity;
            for (int i = 0; i < loops; ++i)
            {
                long start = Stopwatch.GetTimestamp();
                for (int j = 0; j < calls; ++j)
                    MyLib.AddForward(input1, input2, output);
                least = Math.Min(least, (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / calls);
            }
            Console.WriteLine($"time {least:F1}");
        }
    }
}
