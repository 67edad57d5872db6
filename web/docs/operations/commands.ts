import type { AnyShape, Operation, Schema } from '@quipu/contract'
import type { Command, CommandField } from '../../src/palette/built-files.ts'
import { allOperations, type Named, titleOf } from './operation-catalog.ts'

/** The operations of `/sim/v1` as commands of the dashboard. A file as input has a form on its screen. */
export const paletteCommands = (): readonly Command[] =>
  allOperations
    .filter(({ declared: { path, bodyKind } }) => path.startsWith('/sim/v1/') && bodyKind !== 'bytes')
    .map(commandOf)

function commandOf({ name, declared }: Named): Command {
  const [sentence, more] = titleOf(declared)
  const [title = '', rest = ''] = sentence.split(/: (.*)/)
  const about = [rest && `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`, more].filter(Boolean).join(' ')
  const { method, onlyReads, who, raw, params, query, body } = declared
  const reads = method === 'GET' || onlyReads === true
  return {
    operation: name,
    title,
    ...(about !== '' && { about }),
    who: who.includes('account') ? 'account' : 'operator',
    ...(reads && { onlyReads: true as const }),
    ...(!reads && asksFirst(declared, title) && { asksFirst: true as const }),
    ...(raw !== undefined && { isFile: true as const }),
    fields: [...fieldsOf('params', params), ...fieldsOf('query', query), ...fieldsOf('body', body)],
  }
}

/** Verbs of operations after which something is lost. */
const LOSES =
  /^(Block|Cancel|Close|Complete|End|Erase|Let a node claim no|Move|Reject|Remove|Reset|Restore|Unlink)\b/

/** Operations that move money or shares take an idempotency key. */
const asksFirst = ({ method, headers }: Operation, title: string): boolean =>
  method === 'DELETE' || LOSES.test(title) || 'idempotency-key' in (headers?.fields ?? {})

function fieldsOf(part: CommandField['part'], shape: AnyShape | undefined): readonly CommandField[] {
  return shape === undefined ? [] : fieldsIn(part, shape.json(), '')
}

const resolved = (schema: Schema): Schema =>
  schema.schema ? { ...schema.schema, ...described(schema) } : schema
const described = ({ description }: Schema) => (description === undefined ? {} : { description })

/** The fields of a record, and those of records inside it. */
function fieldsIn(
  part: CommandField['part'],
  schema: Schema,
  prefix: string,
  isNeeded = true,
): readonly CommandField[] {
  const { properties = {}, required = [] } = resolved(schema)
  return Object.entries(properties).flatMap(([key, field]) => {
    const inner = resolved(field)
    const name = prefix + key
    const isRequired = isNeeded && required.includes(key)
    if (prefix === '' && inner.properties !== undefined) return fieldsIn(part, inner, `${name}.`, isRequired)
    const about = inner['description']
    const start = inner['default']
    return [
      {
        name,
        part,
        ...kindOf(inner),
        ...(isRequired && { isRequired: true as const }),
        ...(isSimple(start) && { start: String(start) }),
        ...(typeof about === 'string' && { about }),
      },
    ]
  })
}

/** Durations have other units inside than in a form. */
const isSimple = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

function kindOf(schema: Schema): Pick<CommandField, 'kind' | 'choices'> {
  const { enum: choices, anyOf, items } = schema
  if (choices !== undefined) return { kind: 'choice', choices: choices.map(String) }
  if (items !== undefined) return { kind: resolved(items)['type'] === 'string' ? 'list' : 'json' }
  // An instant or a date; other choices between shapes have no input of their own.
  if (anyOf !== undefined) return { kind: anyOf.every(({ type }) => type === 'string') ? 'text' : 'json' }
  const types = [schema['type']].flat()
  if (types.includes('boolean')) return { kind: 'check' }
  if (types.includes('string')) return { kind: 'text' }
  return { kind: types.includes('integer') || types.includes('number') ? 'number' : 'json' }
}
