import type { Handler, Handlers, InputOf, OperationName } from '@quipu/contract'
import type { Context } from './context.ts'

/** The operations whose input has this part. */
export type OperationsWith<Part> = {
  [Name in OperationName]: InputOf<Name> extends Part ? Name : never
}[OperationName]

/** Handlers that read more than the input of their operation. */
export type HandlersWith<Added, Names extends OperationName> = {
  readonly [Name in Names]: (
    input: InputOf<Name> & Added,
    context: Context,
  ) => ReturnType<Handler<Name, Context>>
}

/** The handlers with what `add` finds for the request, or refuses. */
export const withAdded = <Added, Names extends OperationName>(
  handlers: HandlersWith<Added, Names>,
  add: (input: InputOf<Names>, context: Context) => Added,
): Handlers<Context, Names> =>
  Object.fromEntries(
    Object.entries<(input: never, context: Context) => unknown>(handlers).map(([name, handler]) => [
      name,
      (input: InputOf<Names>, context: Context) =>
        handler({ ...input, ...add(input, context) } as never, context),
    ]),
  ) as Handlers<Context, Names>
