import { type CallOf, type OperationName, type OutputOf, routes } from '@quipu/contract'
import type { Argument, CliCommand, CommandContext, ExitCode, Flag } from './command.ts'
import { printRecord } from './output.ts'
import { withProgress } from './progress.ts'

type FieldOf<Name extends OperationName> = {
  [Part in keyof CallOf<Name>]: keyof CallOf<Name>[Part] & string
}[keyof CallOf<Name>]
type Of<Input, Name extends OperationName> = Input & { readonly field?: FieldOf<Name> | null }

type Declared<Name extends OperationName> = Omit<CliCommand, 'operations' | 'run'> & {
  readonly arguments?: readonly Of<Argument, Name>[]
  readonly flags?: Readonly<Record<string, Of<Flag, Name>>>
  /** Fields that apply if no flag sets them. Throws UsageError if the flags do not fit together. */
  readonly otherFields?: (context: CommandContext) => Fields<Name> | Promise<Fields<Name>>
  /** How far a long call is, for a line on stderr every two seconds. */
  readonly progress?: (context: CommandContext, seconds: number) => string | Promise<string>
  /** Operations that `otherFields`, `progress` and `print` call. */
  readonly alsoCalls?: readonly OperationName[]
  /** Default: prints the output as a record. */
  readonly print?: (
    context: CommandContext,
    output: OutputOf<Name>,
    request: CallOf<Name>,
  ) => ExitCode | Promise<ExitCode>
}
type Fields<Name extends OperationName> = { readonly [Field in FieldOf<Name>]?: unknown }

/** A command that calls one operation of the API. Its arguments and flags are the fields of the request. */
export function calling<Name extends OperationName>(
  operation: Name,
  { otherFields, progress, alsoCalls = [], print = printOutput, ...declared }: Declared<Name>,
): CliCommand {
  return {
    ...declared,
    operations: [operation, ...alsoCalls],
    run: async function callOperation(context) {
      const fields = { ...(await otherFields?.(context)), ...(await fieldsOf(context, declared)) }
      const request = requestOf(operation, fields, context.config.world)
      const call = context.operator()[operation] as (request: CallOf<Name>) => Promise<OutputOf<Name>>
      const work = call(request)
      const state = (seconds: number) => progress!(context, seconds)
      return print(context, await (progress ? withProgress(context, state, work) : work), request)
    },
  }
}

const printOutput = (context: CommandContext, output: unknown): ExitCode =>
  printRecord(context, typeof output === 'object' && output !== null ? output : { output })

type Inputs = Pick<CliCommand, 'arguments' | 'flags'>

/** The arguments and flags of a command, and the field of each. */
export const inputsOf = ({ arguments: expected = [], flags = {} }: Inputs) => [
  ...Object.entries(flags).map(([name, { placeholder, field = name.replaceAll('-', '_'), value }]) => ({
    name,
    field,
    value: value ?? (placeholder === undefined ? () => true : undefined),
    typed: `--${name}`,
  })),
  ...expected.map(({ name, field = name.toLowerCase(), value }) => ({ name, field, value, typed: name })),
]

/** The fields that the command line sets. */
export async function fieldsOf(context: CommandContext, inputs: Inputs): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const { name, field, value } of inputsOf(inputs)) {
    const text = context.args.get(name)
    if (text !== undefined && field !== null) fields[field] = value ? await value(text, name, context) : text
  }
  return fields
}

/** Puts each field where the operation expects it, and adds the world. */
function requestOf<Name extends OperationName>(
  operation: Name,
  fields: Readonly<Record<string, unknown>>,
  world: string,
): CallOf<Name> {
  const { params, query, headers } = routes[operation]
  const all: Record<string, unknown> = { world, 'x-quipu-world': world, ...fields }
  const part = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, all[name]]))
  const elsewhere = new Set([...params, ...query, ...headers])
  const body = Object.entries(fields).filter(([name]) => !elsewhere.has(name))
  return {
    params: part(params),
    query: part(query),
    headers: part(headers),
    body: Object.fromEntries(body),
  } as CallOf<Name>
}

/** All pages of a list: the first one as `query` says, each later one from the cursor of the page before it. */
export async function* pagesOf<Page extends { readonly next_cursor: string | null }>(
  { last, ...filters }: { readonly last: string | number | undefined },
  read: (query: object) => Promise<Page>,
): AsyncGenerator<Page> {
  let from: object = { last }
  for (;;) {
    const page = await read({ ...filters, ...from, limit: 1000 })
    yield page
    if (page.next_cursor === null) return
    from = { cursor: page.next_cursor }
  }
}
