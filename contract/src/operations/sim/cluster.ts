import { operation } from '../../operation.ts'
import { array, bool, integer, nullable, record, text, timestamp } from '../../shape/index.ts'
import { operatorOnly } from './world-param.ts'

const someNode = () =>
  text({ min: 1, max: 300, example: 'http://10.0.0.2:7878' }).about(
    'Address of a running node, or the beginning of its name.',
  )

export const ClusterNode = record({
  name: text().about('Host, process and a random part.'),
  address: text().about('URL under which the other nodes reach it.'),
  version: text().about('Version of Quipu.'),
  started_at: timestamp().about('By the clock of the database.'),
  draining: bool().about('True: the node claims no worlds and moves those that it holds to other nodes.'),
  worlds: integer().about('Number of stored worlds that it holds.'),
}).named('ClusterNode')

export const ClusterWorld = record({
  world: text(),
  code: text().about('Two characters that credentials of the world contain; 00 for main.'),
  node: nullable(text()).about('Name of the node that has its lease; null if no node has at the moment.'),
  open: bool().about('Whether that node has it open, so that it answers. False while the node opens it.'),
  held_since: nullable(timestamp()).about('By the clock of the database.'),
  seq: integer().about('Number of events in the journal.'),
  problems: array(
    record({
      node: text().about('Name of a node.'),
      problem: text().about(
        'Why the node could not open a world that no node holds, or does not have a world open whose lease it has.',
      ),
    }),
  ).about('Empty if a node holds the world and has it open.'),
}).named('ClusterWorld')

export const MovedWorld = record({
  world: text(),
  from: nullable(text()).about('Name of the node that held it; null if no node did.'),
  to: text().about('Name of the node that holds it now.'),
  paused_ms: integer().about('Milliseconds for which new requests to the world waited.'),
}).named('MovedWorld')

const errors = ['invalidParameter', 'notInCluster'] as const
const drain = '/sim/v1/cluster/nodes/{node}/drain'
const ofNode = { ...operatorOnly, params: record({ node: someNode() }), output: ClusterNode, errors } as const

export const cluster = {
  getCluster: operation('GET /sim/v1/cluster', operatorOnly, {
    summary: 'Get the nodes of the cluster and the node of each stored world.',
    output: record({ nodes: array(ClusterNode), worlds: array(ClusterWorld) }).named('Cluster'),
    errors: ['notInCluster'],
  }),
  moveWorld: operation('POST /sim/v1/cluster/moves', operatorOnly, {
    summary:
      'Move a world to another node. Its requests wait meanwhile. Also moves a world that no node holds or that does not answer.',
    body: record({ world: text({ min: 1, max: 64, example: 'friday' }), node: someNode() }).named(
      'WorldMove',
    ),
    output: MovedWorld,
    errors: [...errors, 'worldNotMoved'],
  }),
  drainNode: operation(`POST ${drain}`, ofNode, {
    summary:
      'Let a node claim no more worlds and move those that it holds to other nodes, one after the other.',
  }),
  resumeNode: operation(`DELETE ${drain}`, ofNode, {
    summary: 'Let a node claim worlds again. Worlds that it moved stay where they are.',
  }),
}
