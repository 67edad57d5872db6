import {
  channelLines,
  type OperationLine,
  operationLines,
  orderKindLines,
  type Support,
  type ThingLine,
} from '@quipu/contract'
import { type Proof, readProofs } from '../../tests/reference/coverage.ts'
import { code, generatedFrom, table } from './table.ts'

/** Every operation, channel and order kind of the protocol: how Quipu supports it, and the client test that proves it. */
export const compatibilityPage =
  (): string => `${generatedFrom('the contract and tests/reference/proofs.table.json')}

# Compatibility

Every operation, stream channel and order kind of the protocol. **works**: as the protocol specifies. **empty**: the right
format, always without content. **refused**: always an error with the reason. **absent**: 404 or 405. The last column links the
client test that proves the support.

\`quipu contract diff FILE\` compares these operations, their fields and their enumerations with an OpenAPI document (JSON or YAML), such as a newer one of the protocol.

${summary()}

## Operations

${grouped(operationLines())
  .map(([group, lines]) => `### ${group}\n\n${table(operationHead, lines.map(operationRow))}`)
  .join('\n\n')}

## Stream channels

${table(['Stream', 'Channel', 'Support', 'Proved by'], channelLines().map(thingRow('channels')))}

## Kinds of orders

${table(['Of', 'Kind', 'Support', 'Proved by'], orderKindLines().map(thingRow('orderKinds')))}
`

const proofs = Object.entries(readProofs())

const operationHead = ['Method', 'Path', 'Operation', 'Support', 'Proved by']

const operationRow = ({ method, path, name, support }: OperationLine): string[] => [
  method,
  code(path.replace('...}', '}')),
  code(name ?? ''),
  support,
  name === undefined ? '' : provedBy((proof) => proof.operations.includes(name)),
]

const thingRow =
  (kind: 'channels' | 'orderKinds') =>
  ({ group, thing, support }: ThingLine): string[] => [
    kind === 'channels' ? code(group) : group,
    code(thing),
    support,
    provedBy((proof) => proof[kind].includes(`${group} ${thing}`)),
  ]

/** Each client once, with the first of its test files that proves the support. */
function provedBy(proves: (proof: Proof) => boolean): string {
  const proving = proofs.filter(([, proof]) => proves(proof))
  return [...new Set(proving.map(([, { client }]) => client))]
    .map((client) => `[${client}](../${proving.find(([, proof]) => proof.client === client)![0]})`)
    .join(', ')
}

function grouped(lines: readonly OperationLine[]): readonly (readonly [string, readonly OperationLine[]])[] {
  const groups = [...new Set(lines.map(({ group }) => group))]
  return groups.map((group) => [group, lines.filter((line) => line.group === group)])
}

function summary(): string {
  const kinds: readonly Support[] = ['works', 'empty', 'refused', 'absent']
  const all = { Operations: operationLines(), Channels: channelLines(), 'Order kinds': orderKindLines() }
  const count = (lines: readonly { readonly support: Support }[], kind: Support) =>
    String(lines.filter((line) => line.support === kind).length)
  return table(
    ['', ...kinds],
    Object.entries(all).map(([name, lines]) => [name, ...kinds.map((kind) => count(lines, kind))]),
  )
}
