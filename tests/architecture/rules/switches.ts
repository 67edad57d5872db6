import { inEachFile, type Rule } from '../rule.ts'
import { isProduct } from '../sources.ts'

/**
 * The switches of a source text in which a new kind would do nothing, by the value that they switch on. A closed switch
 * ends with `unreachable`; or each of its cases returns a value and the function ends after it, so that the compiler
 * asks for the missing case.
 */
function openSwitches(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, start) => {
    const [, indent, value] = /^( *)(?:\S.*)?\bswitch \((.+)\) \{$/.exec(line) ?? []
    if (indent === undefined || value === undefined || isForeign(value)) return []
    const end = lines.indexOf(`${indent}}`, start)
    const body = lines.slice(start + 1, end)
    const other = body.findIndex((one) => one.startsWith(`${indent}  default:`))
    const isClosed =
      other < 0
        ? hasResult(lines.slice(0, start), indent) &&
          returnsAlways(body, indent) &&
          /^ *\}[),]*$/.test(lines[end + 1] ?? '')
        : /\bunreachable\(|\bsatisfies never$/m.test(body.slice(other).join('\n'))
    return isClosed ? [] : [value]
  })
}

/** Whether a value is no union of ours: a type of JavaScript, or a field of an unchecked record, such as `message['T']`. */
const isForeign = (value: string): boolean => /^typeof |^\w+\['\w+'\]$/.test(value)

/** Whether the function around a switch has a result. */
function hasResult(before: readonly string[], indent: string): boolean {
  const head = before.findLast((line) => /^\S/.test(line.trimStart()) && !line.startsWith(indent))
  return !/: (Promise<)?void>? (=> )?\{$/.test(head ?? '')
}

/** Whether the last case of a switch returns a value, and no other case ends without one. */
function returnsAlways(body: readonly string[], indent: string): boolean {
  const last = body.findLast((line) => /^\w/.test(line.slice(indent.length + 4)))
  return /^ *(return|throw) /.test(last ?? '') && !body.some((line) => /^ *(return|break)$/.test(line))
}

/** A function with a switch whose first case has this body. */
const switching = (body: string, { after = '', result = 'number', value = 'event.kind' } = {}): string =>
  `function name(event: Event): ${result} {\n  switch (${value}) {\n    case 'a':\n${body}\n  }\n${after}}\n`

const closedSwitches: Rule = {
  name: 'a new kind of a union stops the build in every switch',
  covers: isProduct,
  violations: inEachFile(({ text }) => openSwitches(text).map((value) => `switch (${value})`)),
  planted: [
    {
      files: {
        'core/src/planted.ts': switching('      return 1\n    default:\n      return 0'),
        'broker/src/planted.ts': switching('      return 1', { after: '  return 0\n' }),
        'server/src/planted.ts': switching('      note(event)'),
        'web/src/planted.tsx': switching('      return note(event)', { result: 'void' }),
        'sdk/src/planted.ts': switching(
          "      note(event)\n      return\n    case 'b':\n      return note(event)",
        ),
        'testing/src/planted.ts': switching('      return 1\n    default:\n      return 0', {
          value: 'kind',
        }),
        // These switches are closed, or over values of others.
        'cli/src/planted.ts': switching('      return 1'),
        'contract/src/planted.ts': switching(
          '      note(event)\n      return\n    default:\n      return unreachable(event)',
        ),
        'broker/src/other.ts': switching('      return 1\n    default:\n      return 0', {
          value: "message['T']",
        }),
        'core/src/other.ts': switching('      return 1\n    default:\n      return 0', {
          value: 'typeof event',
        }),
      },
      refused: [
        'core/src/planted.ts: switch (event.kind)',
        'broker/src/planted.ts: switch (event.kind)',
        'server/src/planted.ts: switch (event.kind)',
        'web/src/planted.tsx: switch (event.kind)',
        'sdk/src/planted.ts: switch (event.kind)',
        'testing/src/planted.ts: switch (kind)',
      ],
    },
  ],
}

export const rules: readonly Rule[] = [closedSwitches]
