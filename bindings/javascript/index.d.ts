// bindings/javascript/index.d.ts: what index.js exports, with types. The header my_lib.h has the formulas. TypeScript's target is
// ES2020 or later.

/** A failure. `message` names the argument, what was expected and what came. */
export class MyLibError extends Error {
    readonly name: 'MyLibError';
    /** The name of the code in C, such as MY_LIB_ERROR_SHAPE_MISMATCH. */
    readonly code: string;
    /** Its number. */
    readonly errno: number;
}

/** Numbers in row-major order and their shape; no sizes are a scalar. C works on `data` itself, there is no copy. */
export class Tensor {
    constructor(data: Float32Array, shape: readonly number[]);
    static zeros(...shape: number[]): Tensor;
    readonly data: Float32Array;
    readonly shape: readonly number[];
    /** The shape as C takes it. */
    readonly sizes: BigInt64Array;
}

/** An argument that may be left out. */
type Optional = Tensor | null | undefined;

/** The version of the loaded library, such as 1.0.0. */
export function version(): string;
/** One line about the loaded library: version, CPU path and OpenMP run-time. */
export function buildInfo(): string;
/** How many threads a large call from this thread may use now. */
export function numThreads(): number;
/** For the whole process; 0 follows the OpenMP run-time. With many worker threads that make large calls, 1 is best. */
export function setNumThreads(count: number): void;

/** input1 + input2, which have one shape. `output` may be an input. */
export function addForward(input1: Tensor, input2: Tensor, output?: Tensor): Tensor;

/** The gradients of add. What is left out of `gradients` is not computed; without `gradients`, both are. */
export interface AddGradients {
    input1?: Optional;
    input2?: Optional;
}
export function addBackward(gradOutput: Tensor): Required<{ [Name in keyof AddGradients]: Tensor }>;
export function addBackward<G extends AddGradients>(gradOutput: Tensor, gradients: G): G;

/**
 * input weight^T + bias (batch, out_features), of input (batch, in_features), weight (out_features, in_features) and
 * bias (out_features), which may be null.
 */
export function linearForward(input: Tensor, weight: Tensor, bias: Optional, output?: Tensor): Tensor;

/** The gradients of linear, in the shapes of its inputs. */
export interface LinearGradients {
    input?: Optional;
    weight?: Optional;
    bias?: Optional;
}
/** `input` may be null without the gradient of the weight, and `weight` without that of the input. */
export function linearBackward(
    gradOutput: Tensor, input: Optional, weight: Optional,
): Required<{ [Name in keyof LinearGradients]: Tensor }>;
export function linearBackward<G extends LinearGradients>(
    gradOutput: Tensor, input: Optional, weight: Optional, gradients: G,
): G;

/**
 * The results of the LLTM. A step gives h and cell (batch, state_size) and gates (batch, 3 * state_size), a sequence
 * those of each step, (seq_len, batch, ...). Only backward needs gates.
 */
export interface LltmStates {
    h: Tensor;
    cell: Tensor;
    gates?: Optional;
}
type AllLltmStates = LltmStates & { gates: Tensor };

/** The gradients of the LLTM, in the shapes of its inputs. */
export interface LltmGradients {
    input?: Optional;
    weights?: Optional;
    bias?: Optional;
    oldH?: Optional;
    oldCell?: Optional;
}
type AllLltmGradients = Required<{ [Name in keyof LltmGradients]: Tensor }>;

/**
 * One step, of input (batch, input_size), weights (3 * state_size, state_size + input_size), bias (3 * state_size),
 * oldH and oldCell (batch, state_size).
 */
export function lltmForward(
    input: Tensor, weights: Tensor, bias: Tensor, oldH: Tensor, oldCell: Tensor,
): AllLltmStates;
export function lltmForward<S extends LltmStates>(
    input: Tensor, weights: Tensor, bias: Tensor, oldH: Tensor, oldCell: Tensor, states: S,
): S;

/** gradH and gradCell are the gradients of h and cell; newCell and gates are what forward gave. */
export function lltmBackward(
    gradH: Tensor, gradCell: Tensor, newCell: Tensor, gates: Tensor, input: Tensor, oldH: Tensor, weights: Tensor,
): AllLltmGradients;
export function lltmBackward<G extends LltmGradients>(
    gradH: Tensor, gradCell: Tensor, newCell: Tensor, gates: Tensor, input: Tensor, oldH: Tensor, weights: Tensor,
    gradients: G,
): G;

/** The steps of input (seq_len, batch, input_size), each from the state of the one before. */
export function lltmSequenceForward(
    input: Tensor, weights: Tensor, bias: Tensor, oldH: Tensor, oldCell: Tensor,
): AllLltmStates;
export function lltmSequenceForward<S extends LltmStates>(
    input: Tensor, weights: Tensor, bias: Tensor, oldH: Tensor, oldCell: Tensor, states: S,
): S;

/**
 * gradH is the gradient of every step's h; gradLastH and gradLastCell are further gradients of the last state. cell,
 * gates and h are what forward gave.
 */
export function lltmSequenceBackward(
    gradH: Tensor, gradLastH: Optional, gradLastCell: Optional, cell: Tensor, gates: Tensor, input: Tensor, h: Tensor,
    oldH: Tensor, oldCell: Tensor, weights: Tensor,
): AllLltmGradients;
export function lltmSequenceBackward<G extends LltmGradients>(
    gradH: Tensor, gradLastH: Optional, gradLastCell: Optional, cell: Tensor, gates: Tensor, input: Tensor, h: Tensor,
    oldH: Tensor, oldCell: Tensor, weights: Tensor, gradients: G,
): G;

/** The functions of my_lib.h by their own names, which src/my_lib.c describes. */
export const native: Record<string, (...values: any[]) => any>;
