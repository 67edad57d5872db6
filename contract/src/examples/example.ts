import type { CallOf, Families, OperationName, OutputOf } from '../operations.ts'

/** An example call of an operation and its response, for OpenAPI and the reference. */
export type Example<Name extends OperationName> = {
  readonly input: CallOf<Name>
  readonly output: OutputOf<Name>
}

/** One example for each operation of a family. */
export type ExamplesOf<Family extends keyof Families> = {
  readonly [Name in keyof Families[Family] & OperationName]: Example<Name>
}
