import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSpec, sources, textOf } from './sources.ts'

/**
 * The switches of a source text in which a new kind would do nothing, by the value that they switch on. A closed switch
 * ends with `unreachable`; or each of its cases returns a value and the function ends after it, so that the compiler
 * asks for the missing case.
 */
function openSwitches(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, start) => {
    const [, indent, value] = /^( *)(?:\S.*)?\bswitch \((.+)\) \{$/.exec(line) ?? []
    if (indent === undefined || value === undefined) return []
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

/** Switches over values that are no union of ours, and over some kinds of a union whose other kinds are treated alike. */
const mayStayOpen: Readonly<Record<string, readonly string[]>> = {
  // Text and numbers that others send, and values of JavaScript.
  'broker/src/import/csv.ts': ['this.#cellKinds[column]'],
  'broker/src/market/upstream/socket.ts': ["message['T']", 'code'],
  'broker/src/market/upstream/wire.ts': ['kind'],
  'contract/src/reference-fields.ts': ['type'],
  'core/src/encode.ts': ['typeof value'],
  'sdk/build/type-text.ts': ["schema['type']"],
  'server/src/streams/trade-updates.ts': ["message['action']"],
  // Some of all events.
  'broker/src/access/connection-revocation.ts': ['event.kind'],
  'broker/src/access/credentials.ts': ['event.kind'],
  'broker/src/query-tables/history-maker.ts': ['event.kind'],
  'broker/src/world/driver/driver.ts': ['event.kind'],
  'broker/src/world/audit/transit-list.ts': ['event.kind'],
  'server/src/wire/event-wire.ts': ['event.kind'],
  // Some of all refusals.
  'server/src/http/hints.ts': ['reason.code'],
  'server/src/http/reading/explain/refusal.ts': ['reason.code'],
  'server/src/wire/order-words.ts': ['reason.code'],
  // Parts of a state; the others are stored as they are.
  'broker/src/query-tables/snapshot/state-lines.ts': ['part'],
  'broker/src/query-tables/snapshot/state-reader.ts': ['part'],
  // Some kinds of commands and events of orders.
  'core/src/orders/groups.ts': ['event.kind'],
  'core/src/orders/record.ts': ['event.kind'],
}

const product = sources.filter(
  (file) => /^(core|contract|broker|server|cli|sdk)\//.test(file) && !isSpec(file),
)

test('a new kind of a union stops the build in every switch', () => {
  const open = product.flatMap((file) =>
    openSwitches(textOf(file))
      .filter((value) => !mayStayOpen[file]?.includes(value))
      .map((value) => `${file}: switch (${value})`),
  )
  assert.deepEqual(open, [])
})

test('every exception from closed switches is needed', () => {
  const needless = Object.entries(mayStayOpen).flatMap(([file, values]) => {
    const open = product.includes(file) ? openSwitches(textOf(file)) : []
    return values.filter((value) => !open.includes(value)).map((value) => `${file}: ${value}`)
  })
  assert.deepEqual(needless, [])
})

test('a switch that ignores new kinds is refused', () => {
  const planted = (body: string, after = '', result = 'number') =>
    `function name(event: Event): ${result} {\n  switch (event.kind) {\n    case 'a':\n${body}\n  }\n${after}}\n`
  for (const open of [
    planted('      return 1\n    default:\n      return 0'),
    planted('      return 1', '  return 0\n'),
    planted('      note(event)'),
    planted('      return note(event)', '', 'void'),
    planted("      note(event)\n      return\n    case 'b':\n      return note(event)"),
  ])
    assert.deepEqual(openSwitches(open), ['event.kind'], open)
  for (const closed of [
    planted('      return 1'),
    planted('      note(event)\n      return\n    default:\n      return unreachable(event)'),
  ])
    assert.deepEqual(openSwitches(closed), [], closed)
})
