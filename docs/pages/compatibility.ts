import {
  channelLines,
  type OperationLine,
  operationLines,
  orderKindLines,
  type ThingLine,
  type Word,
} from '@quipu/contract'
import { type Proof, proofs } from '../../tests/proofs.table.ts'
import { code, madeFrom, table } from './table.ts'

/** Everything the protocol has, with one word each and the client whose test proves it. */
export const compatibilityPage = (): string => `${madeFrom('the contract and tests/proofs.table.ts')}

# Compatibility

Everything the protocol has, with one word: **works** as the protocol says · **empty**: the right shape, never
with content · **refused**: always an error that says so · **absent**: not there, answered 404 or 405. The last column names the
client whose own test run shows it.

${summary()}

## Operations

${grouped(operationLines())
  .map(([group, lines]) => `### ${group}\n\n${table(operationHead, lines.map(operationRow))}`)
  .join('\n\n')}

## Stream channels

${table(['Stream', 'Channel', 'Here', 'Shown by'], channelLines().map(thingRow('channels')))}

## Kinds of orders

${table(['Of', 'Kind', 'Here', 'Shown by'], orderKindLines().map(thingRow('orderKinds')))}
`

const operationHead = ['Method', 'Path', 'Operation', 'Here', 'Shown by']

const operationRow = ({ method, path, name, word }: OperationLine): string[] => [
  method,
  code(path.replace('...}', '}')),
  code(name ?? ''),
  word,
  name === undefined ? '' : shownBy((proof) => proof.operations.includes(name)),
]

const thingRow =
  (kind: 'channels' | 'orderKinds') =>
  ({ group, thing, word }: ThingLine): string[] => [
    kind === 'channels' ? code(group) : group,
    code(thing),
    word,
    shownBy((proof) => proof[kind].includes(`${group} ${thing}`)),
  ]

/** Each client once, with the first of its test files that proves it. */
function shownBy(proves: (proof: Proof) => boolean): string {
  const proving = proofs.filter(proves)
  return [...new Set(proving.map(({ client }) => client))]
    .map((client) => `[${client}](../${proving.find((proof) => proof.client === client)!.file})`)
    .join(', ')
}

function grouped(lines: readonly OperationLine[]): readonly (readonly [string, readonly OperationLine[]])[] {
  const groups = [...new Set(lines.map(({ group }) => group))]
  return groups.map((group) => [group, lines.filter((line) => line.group === group)])
}

function summary(): string {
  const words: readonly Word[] = ['works', 'empty', 'refused', 'absent']
  const all = { Operations: operationLines(), Channels: channelLines(), 'Order kinds': orderKindLines() }
  const count = (lines: readonly { readonly word: Word }[], word: Word) =>
    String(lines.filter((line) => line.word === word).length)
  return table(
    ['', ...words],
    Object.entries(all).map(([name, lines]) => [name, ...words.map((word) => count(lines, word))]),
  )
}
