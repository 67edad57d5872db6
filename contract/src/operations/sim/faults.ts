import { operation } from '../../operation.ts'
import {
  array,
  bool,
  integer,
  nullable,
  number,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { FaultMatch } from './fault-fields.ts'
import { FaultEffect, NewFault } from './fault-rule.ts'
import { operatorOnly, worldParam } from './world-param.ts'

const texts = () => optional(array(text()))

export const FaultShape = record({
  id: text().about('Number of the rule in its world.'),
  name: optional(text()),
  match: record({
    ...FaultMatch.fields,
    operation: texts(),
    account: optional(uuid()),
    symbol: texts(),
    stream: texts(),
    message: texts(),
    call: texts(),
    share: optional(number()),
    from: optional(timestamp()),
    to: optional(timestamp()),
  }),
  effect: FaultEffect,
  times: nullable(integer()).about('Budget: how often the rule is applied at most; null without a limit.'),
  matched: integer().about('Number of matches so far.'),
  consumed: integer().about('How often the rule was applied.'),
  consumed_at: array(timestamp()).about('Times of the last 20 applications, by the clock of the world.'),
  exhausted: bool().about('True: the rule will not be applied again.'),
  created_at: timestamp().about('By the clock of the world.'),
}).named('Fault')

const shared = { ...operatorOnly, needsSim: true, params: record(worldParam) } as const
const ofOne = record({ ...worldParam, fault_id: text({ min: 1, max: 20 }) })
const path = '/sim/v1/worlds/{world}/faults'

export const faults = {
  listFaults: operation(`GET ${path}`, shared, {
    summary: 'List the fault rules of a world with their counts, oldest first.',
    output: array(FaultShape),
    errors: ['worldNotFound'],
  }),
  createFault: operation(`POST ${path}`, shared, {
    summary: 'Create a fault rule: which requests, stream messages or calls fail, how, and how often.',
    body: NewFault,
    output: FaultShape,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'faultLimitReached'],
  }),
  deleteFaults: operation(`DELETE ${path}`, shared, {
    summary: 'Delete all fault rules of a world.',
    errors: ['worldNotFound'],
  }),
  getFault: operation(`GET ${path}/{fault_id}`, shared, {
    summary: 'Get a fault rule with its counts.',
    params: ofOne,
    output: FaultShape,
    errors: ['worldNotFound', 'faultNotFound'],
  }),
  deleteFault: operation(`DELETE ${path}/{fault_id}`, shared, {
    summary: 'Delete a fault rule.',
    params: ofOne,
    errors: ['worldNotFound', 'faultNotFound'],
  }),
}
