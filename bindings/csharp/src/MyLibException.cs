// bindings/csharp/src/MyLibException.cs: the failure of a function.
using System;

namespace TorchThaw
{
    /// <summary>Why a function failed: the codes of my_lib.h.</summary>
    public enum ErrorCode
    {
        Success = Native.MY_LIB_SUCCESS,
        NullPointer = Native.MY_LIB_ERROR_NULL_POINTER,
        UnalignedPointer = Native.MY_LIB_ERROR_UNALIGNED_POINTER,
        InvalidSize = Native.MY_LIB_ERROR_INVALID_SIZE,
        SizeOverflow = Native.MY_LIB_ERROR_SIZE_OVERFLOW,
        ShapeMismatch = Native.MY_LIB_ERROR_SHAPE_MISMATCH,
        InvalidValue = Native.MY_LIB_ERROR_INVALID_VALUE,
        WorkspaceTooSmall = Native.MY_LIB_ERROR_WORKSPACE_TOO_SMALL
    }

    /// <summary>The message names the argument, what was expected and what came.</summary>
    public sealed class MyLibException : Exception
    {
        internal MyLibException(ErrorCode code, string message) : base(message)
        {
            Code = code;
        }

        public ErrorCode Code { get; }

        /// <summary>The name of the code in C, such as MY_LIB_ERROR_SHAPE_MISMATCH.</summary>
        public string Name => MyLib.ErrorName(Code);
    }
}
