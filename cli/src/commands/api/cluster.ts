import { setTimeout as sleep } from 'node:timers/promises'
import type { OutputOf } from '@quipu/contract'
import { entryIn } from '@quipu/core/values'
import { calling } from '../call.ts'
import { type CliCommand, type CommandContext, CommandFailed } from '../command.ts'
import { type Column, counted, printRecord, printText, tableLines, utc } from '../output.ts'
import { withProgress } from '../progress.ts'
import { wholeNumberValue } from '../values.ts'
import { haproxyConfiguration } from './haproxy.ts'

type Status = OutputOf<'getCluster'>
type Node = Status['nodes'][number]

const NODE = {
  name: 'NODE',
  about: 'Address of a node, or the beginning of its name (`quipu cluster status`).',
} as const

export const clusterCommands: readonly CliCommand[] = [
  calling('getCluster', {
    name: 'cluster status',
    about:
      'Show the nodes of the cluster, the node that has the lease of each stored world, and whether it has the world open.',
    example: 'quipu cluster status',
    print: (context, status) =>
      printText(
        context,
        status,
        ...tableLines(status.nodes, nodeTable, context.width),
        '',
        ...tableLines(status.worlds, worldTable(status), context.width),
        ...problemLines(status),
      ),
  }),
  calling('moveWorld', {
    name: 'cluster move',
    about:
      'Move a world to another node. Its requests wait meanwhile and see no error. Also moves a world that does not answer.',
    arguments: [{ name: 'WORLD', about: 'Name of the world.' }, NODE],
    progress: (_, seconds) => `moving … ${seconds} s`,
    example: 'quipu cluster move friday http://10.0.0.2:7878',
    print: (context, moved) =>
      printText(
        context,
        moved,
        `${moved.world} is on ${moved.to}; its requests waited for ${moved.paused_ms} ms`,
      ),
  }),
  {
    name: 'cluster drain',
    about:
      'Move all worlds of a node to other nodes and wait until it holds none. It claims no worlds until --undo or a restart.',
    arguments: [NODE],
    flags: {
      undo: { about: 'Let the node claim worlds again. Worlds that were moved stay where they are.' },
      'timeout-ms': { placeholder: 'N', about: 'How long to wait, in milliseconds. Default: 120000.' },
    },
    operations: ['drainNode', 'resumeNode', 'getCluster'],
    example: 'quipu cluster drain http://10.0.0.2:7878',
    run: drain,
  },
  calling('getCluster', {
    name: 'cluster haproxy',
    about:
      'Print a configuration of HAProxy for the current nodes: requests go to the node that holds the world of their ' +
      'credential, all others to any node.',
    flags: {
      bind: { placeholder: 'ADDRESS', about: 'Address of HAProxy for clients. Default: :80.', field: null },
    },
    example: 'quipu cluster haproxy --bind :7878 > /etc/haproxy/haproxy.cfg',
    print: (context, status) => {
      const text = haproxyConfiguration(status, context.args.get('bind') ?? ':80')
      return printText(context, { configuration: text }, text.trimEnd())
    },
  }),
]

const POLL_MS = 250

async function drain(context: CommandContext): Promise<0> {
  const { args, operator } = context
  const params = { node: entryIn(args, 'NODE') }
  if (args.has('undo')) return printRecord(context, await operator().resumeNode({ params }))
  const node = await operator().drainNode({ params })
  const timeoutMs = wholeNumberValue(args.get('timeout-ms') ?? '120000', 'timeout-ms')
  let current = node
  const state = () => `${node.name}: ${counted(current.worlds, 'world')} left`
  const waiting = untilDrained(context, node, timeoutMs, (seen) => (current = seen))
  const drained = await withProgress(context, state, waiting)
  return printText(context, drained, `${node.name} holds no world and claims none`)
}

async function untilDrained(
  { operator }: CommandContext,
  { name }: Node,
  timeoutMs: number,
  look: (node: Node) => void,
): Promise<Node> {
  const untilMs = performance.now() + timeoutMs
  for (;;) {
    const { nodes } = await operator().getCluster()
    const node = nodes.find((one) => one.name === name)
    if (!node) throw new CommandFailed(`${name} no longer runs`)
    if (node.worlds === 0) return node
    if (nodes.every((one) => one.draining))
      throw new CommandFailed(
        `${name} still holds ${counted(node.worlds, 'world')}: no other node takes worlds; start one, or let one take worlds with \`quipu cluster drain NODE --undo\``,
      )
    look(node)
    if (performance.now() > untilMs)
      throw new CommandFailed(
        `${name} still holds ${counted(node.worlds, 'world')}; its log says why (main stays while worlds are in memory)`,
      )
    await sleep(POLL_MS)
  }
}

const nodeTable: readonly Column<Node>[] = [
  ['NODE', ({ name }) => name, 24],
  ['ADDRESS', ({ address }) => address],
  ['WORLDS', ({ worlds }) => worlds, 'right'],
  ['DRAINING', ({ draining }) => (draining ? 'yes' : 'no')],
  ['VERSION', ({ version }) => version],
  ['STARTED (UTC)', ({ started_at }) => utc(started_at)],
]

/** Why worlds have no node, or are not open at their node. */
const problemLines = ({ nodes, worlds }: Status): readonly string[] =>
  worlds.flatMap(({ world, node: holder, problems }) =>
    problems.map(({ node, problem }) => {
      const address = nodes.find(({ name }) => name === node)?.address ?? node
      return holder === null
        ? `${world} is not held: ${address} could not open it: ${problem}`
        : `${world} does not answer: ${address} ${problem}`
    }),
  )

const worldTable = ({ nodes }: Status): readonly Column<Status['worlds'][number]>[] => [
  ['WORLD', ({ world }) => world],
  ['CODE', ({ code }) => code],
  ['NODE', ({ node }) => nodes.find(({ name }) => name === node)?.address ?? node ?? 'none'],
  ['OPEN', ({ open }) => (open ? 'yes' : 'no')],
  ['HELD SINCE (UTC)', ({ held_since }) => utc(held_since)],
  ['EVENTS', ({ seq }) => seq, 'right'],
]
