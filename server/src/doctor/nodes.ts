import { type ClusterTable, type NodeRow, type WorldRow, whyNotOpen } from '@quipu/broker/cluster/table.ts'
import { type Check, finding, findingsOr, fine } from './check.ts'

/** Leases and versions of a cluster. A single server has no nodes, and no such checks. */
export function nodeChecks({ nodes, worlds }: ClusterTable): readonly Check[] {
  if (nodes.length === 0) return []
  return [...leaseChecks(nodes, worlds), ...versionChecks(nodes)]
}

function leaseChecks(nodes: readonly NodeRow[], worlds: readonly WorldRow[]): readonly Check[] {
  const findings = worlds.flatMap((row) => {
    const problem = problemOf(nodes, row)
    return problem === undefined ? [] : [finding('leases', `${row.world} ${problem}`, fixOf(row, nodes))]
  })
  return findingsOr(findings, fine('leases', `${worlds.length} worlds on ${nodes.length} nodes`))
}

function problemOf(nodes: readonly NodeRow[], row: WorldRow): string | undefined {
  const { world, holder } = row
  if (!holder) {
    const reasons = nodes.flatMap(({ address, failures }) =>
      failures[world] === undefined ? [] : [`${address} could not open it: ${failures[world]}`],
    )
    return ['is held by no node', ...reasons].join('; ')
  }
  if (!isRunning(nodes, holder)) return `is held by ${holder.name}, which does not run`
  const problem = whyNotOpen(nodes, row)
  return problem && `does not answer: ${holder.address} ${problem}`
}

const isRunning = (nodes: readonly NodeRow[], holder: WorldRow['holder']): boolean =>
  nodes.some(({ name }) => name === holder?.name)

/** A node that drains claims nothing. While main does not answer, no command of an operator works. */
function fixOf({ world, record, holder }: WorldRow, nodes: readonly NodeRow[]): string {
  const isMain = record === undefined
  if (isMain && holder && isRunning(nodes, holder)) return `systemctl restart quipu    # on ${holder.address}`
  const taking = nodes.find(({ name, draining }) => !draining && name !== holder?.name)
  if (taking) return `quipu cluster status    # then: quipu cluster move ${world} ${taking.address}`
  return nodes.every(({ draining }) => draining)
    ? `quipu cluster drain ${nodes[0]!.address} --undo`
    : 'quipu cluster status    # start another node'
}

function versionChecks(nodes: readonly NodeRow[]): readonly Check[] {
  const newest = nodes.map(({ version }) => version).reduce((a, b) => (isOlder(a, b) ? b : a))
  const findings = nodes
    .filter(({ version }) => version !== newest)
    .map(({ address, version }) =>
      finding(
        'versions',
        `the node ${address} has version ${version}, another ${newest}`,
        `npm install --global quipu-broker@${newest} && systemctl restart quipu    # on ${address}`,
      ),
    )
  return findingsOr(findings, fine('versions', `all nodes have version ${newest}`))
}

const isOlder = (one: string, other: string): boolean =>
  one.localeCompare(other, 'en', { numeric: true, sensitivity: 'base' }) < 0
