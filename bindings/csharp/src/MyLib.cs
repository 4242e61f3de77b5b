// bindings/csharp/src/MyLib.cs: versions, threads, and what all operators share.
using System;
using System.Runtime.InteropServices;

namespace TorchThaw
{
    /// <summary>
    /// The operators of libmy_lib. The header my_lib.h has the formula of each. Each has a form that returns new
    /// tensors and one that writes into those of the last parameter. A failure is a MyLibException. All threads may
    /// call at once.
    /// The library is libmy_lib.so beside the program, or where the system finds it.
    public static unsafe partial class MyLib
    {
        /// <summary>As large as the largest call of the thread needed.</summary>
        [ThreadStatic] private static long[] workspace;

        /// <summary>The version of the loaded library, such as 1.0.0.</summary>
        public static string Version => Text(Native.my_lib_version());

        /// <summary>One line about the loaded library: version, CPU path and OpenMP run-time.</summary>
        public static string BuildInfo => Text(Native.my_lib_build_info());

        /// <summary>
        /// How many threads a large call from this thread may use. Setting it holds for the whole process; 0 follows
        /// the OpenMP run-time. OpenMP keeps one team for each thread that makes large calls, so a program that calls
        /// from a pool of threads is best served by 1.
        public static int NumThreads
        {
            get { return Native.my_lib_get_num_threads(); }
            set { Check(Native.my_lib_set_num_threads(value)); }
        }

        internal static string ErrorName(ErrorCode code)
        {
            return Text(Native.my_lib_error_name((int)code));
        }

        /// <summary>The message is of the thread that called, and copied before it can fail again.</summary>
        private static void Check(int status)
        {
            if (status != 1)
                throw new MyLibException(
                    (ErrorCode)Native.my_lib_last_error_code(), Text(Native.my_lib_last_error_message()));
        }

        private static string Text(byte* text)
        {
            return Marshal.PtrToStringAnsi((IntPtr)text);
        }

        /// <summary>What to pin of a tensor; of null, NULL.</summary>
        private static ref float Pin(Tensor tensor)
        {
            return ref MemoryMarshal.GetReference(tensor == null ? default(Span<float>) : tensor.Memory.Span);
        }

        /// <summary>At least so many bytes; none for SIZE_MAX, the answer to sizes that C refuses.</summary>
        private static long[] Workspace(UIntPtr size)
        {
            if (workspace == null)
                workspace = new long[0];
            ulong count = (ulong)size / sizeof(long) + 1;
            if ((ulong)workspace.Length < count && (ulong)size != ulong.MaxValue)
                workspace = new long[count];
            return workspace;
        }

        private static UIntPtr Bytes(long[] array)
        {
            return (UIntPtr)((ulong)array.Length * sizeof(long));
        }
    }
}
