import type { Field, Values } from '../parts/fields.tsx'
import { actingOperator, operator } from '../session/connections.ts'
import { account, api, worldName } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import type { Command, CommandField } from './built-files.ts'

const keyOf = ({ part, name }: CommandField): string => `${part}.${name}`

const units: Partial<Record<CommandField['kind'], string>> = { list: 'with commas', json: 'JSON' }
const UNSET = { '': '–' }

/** The inputs of an operation: required ones first. A choice without a value is not sent. */
export const formFields = ({ fields }: Command): readonly Field[] =>
  [...fields]
    .sort((a, b) => Number(b.isRequired ?? false) - Number(a.isRequired ?? false))
    .map((field): Field => {
      const { name, kind, choices, isRequired, start, about } = field
      const words = kind === 'check' ? ['true', 'false'] : choices
      const unit = units[kind]
      return {
        name: keyOf(field),
        label: name.replaceAll('_', ' '),
        ...(kind === 'number' && { kind }),
        ...(words && {
          options: { ...(isRequired ? {} : UNSET), ...Object.fromEntries(words.map((word) => [word, word])) },
        }),
        ...(unit !== undefined && { unit }),
        ...((start ?? about) !== undefined && { hint: start ?? about! }),
        ...(isRequired && { isRequired: true }),
      }
    })

/** The world and the account on screen are filled in, and required choices have their first value. */
export function startValues({ fields }: Command): Values {
  const known: Readonly<Record<string, string | undefined>> = {
    'params.world': worldName.peek(),
    'params.account_id': account.peek()?.id,
    'body.account_id': account.peek()?.id,
  }
  return Object.fromEntries(
    fields
      .filter(({ isRequired }) => isRequired)
      .map((field) => [keyOf(field), known[keyOf(field)] ?? field.choices?.[0] ?? '']),
  )
}

/** Calls the operation. Returns its response as text; a file is saved by the browser. */
export async function callCommand(command: Command, values: Values): Promise<string> {
  const { operation, onlyReads, isFile, fields } = command
  const connection = !isOperator.peek() ? api.peek() : onlyReads ? operator() : actingOperator()
  if (!connection) throw new Error('There is no account in this world')
  const input: Record<CommandField['part'], Record<string, unknown>> = { params: {}, query: {}, body: {} }
  for (const field of fields) {
    const text = values[keyOf(field)]?.trim() ?? ''
    if (text !== '') setAt(input[field.part], field.name.split('.'), sentValue(field, text))
  }
  const client = connection.client as unknown as Record<string, (input: object) => Promise<unknown>>
  const response = await client[operation]!(input)
  if (isFile)
    return saveFile(response as Uint8Array<ArrayBuffer>, `${operation}-${values['params.world'] ?? ''}`)
  return response === undefined ? 'Done.' : JSON.stringify(response, null, 2)
}

function setAt(
  record: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) record[first] = value
  else setAt((record[first] ??= {}) as Record<string, unknown>, rest, value)
}

function sentValue({ kind, name }: CommandField, text: string): unknown {
  switch (kind) {
    case 'number':
      return Number(text)
    case 'check':
      return text === 'true'
    case 'list':
      return text.split(',').map((part) => part.trim())
    case 'text':
    case 'choice':
      return text
    case 'json':
      return jsonOf(name, text)
  }
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A word such as `none` is a text.
    if (/^\w+$/.test(text)) return text
    throw new Error(`${name}: expected JSON, received ${text}`)
  }
}

function saveFile(bytes: Uint8Array<ArrayBuffer>, name: string): string {
  const href = URL.createObjectURL(new Blob([bytes]))
  const link = Object.assign(document.createElement('a'), { href, download: name })
  link.click()
  URL.revokeObjectURL(href)
  return `${name} was saved: ${bytes.length} bytes.`
}
