// bindings/csharp/check/Threads.cs: results and errors of threads that call at once.
using System;
using System.Linq;
using System.Threading;

namespace TorchThaw.Check
{
    internal static class Threads
    {
        private const int Count = 8, Rounds = 20, Failures = 200, Size = 256;

        internal static void Run()
        {
            Exception failed = null;
            Thread[] threads = Enumerable.Range(1, Count).Select(own => new Thread(() =>
            {
                try
                {
                    for (int round = 0; round < Rounds; ++round)
                        Round(own);
                }
                catch (Exception failure)
                {
                    failed = failure;
                }
            })).ToArray();
            foreach (Thread each in threads)
                each.Start();
            foreach (Thread each in threads)
                each.Join();
            if (failed != null)
                throw failed;
            Console.WriteLine($"threads {Count * Rounds * (2 + Failures)}");
        }

        /// <summary>One large call, a small one and many that fail, with numbers and shapes of the thread.</summary>
        private static void Round(int own)
        {
            Tensor product = MyLib.LinearForward(
                Program.Filled(1, Size, Size), Program.Filled(own, Size, Size), null);
            foreach (float value in product.Span.ToArray())
                Program.That(value == own * Size, $"linear {own * Size}", value);
            foreach (float value in MyLib.AddForward(Program.Filled(own, 25), Program.Filled(1, 25)).Span.ToArray())
                Program.That(value == own + 1, $"add {own + 1}", value);
            Tensor one = Tensor.Zeros(1, own), two = Tensor.Zeros(2, own);
            string expected = $"input2: expected shape (1, {own}), got (2, {own})";
            for (int i = 0; i < Failures; ++i)
                Layer.Expect(Layer.Failure(() => MyLib.AddForward(one, two, one)),
                    (int)ErrorCode.ShapeMismatch, "MY_LIB_ERROR_SHAPE_MISMATCH", expected);
        }
    }
}
