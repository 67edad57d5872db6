import type { NodeRow, Table, WorldRow } from '../cluster/table.ts'
import { type Check, finding, findingsOr, fine } from './check.ts'

/** Leases and versions of a cluster. A single server has no nodes, and no such checks. */
export function nodeChecks({ nodes, worlds }: Table): readonly Check[] {
  if (nodes.length === 0) return []
  return [...leaseChecks(nodes, worlds), ...versionChecks(nodes)]
}

function leaseChecks(nodes: readonly NodeRow[], worlds: readonly WorldRow[]): readonly Check[] {
  const findings = worlds
    .filter(({ holder }) => !nodes.some(({ name }) => name === holder?.name))
    .map(({ world, holder }) => {
      const reasons = nodes.flatMap(({ address, failures }) =>
        failures[world] === undefined ? [] : [`${address} could not open it: ${failures[world]}`],
      )
      const state = holder
        ? `${world} is held by ${holder.name}, which does not run`
        : `${world} is held by no node`
      return finding('leases', [state, ...reasons].join('; '), fixOf(world, nodes))
    })
  return findingsOr(findings, fine('leases', `${worlds.length} worlds on ${nodes.length} nodes`))
}

/** A node that drains claims nothing. */
function fixOf(world: string, nodes: readonly NodeRow[]): string {
  const taking = nodes.find(({ draining }) => !draining)
  return taking
    ? `quipu cluster status    # then: quipu cluster move ${world} ${taking.address}`
    : `quipu cluster drain ${nodes[0]!.address} --undo`
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
