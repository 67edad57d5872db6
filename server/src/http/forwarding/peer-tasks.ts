import { mainUserIn } from '@quipu/broker/access/main-people.ts'
import { codesOfIds } from '@quipu/broker/access/world-code.ts'
import {
  NotMoved,
  SECRET_HEADER,
  TASK_PATH,
  type TaskName,
  type Tasks,
} from '@quipu/broker/cluster/ask-node.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { UserId } from '@quipu/core'
import { instantOfNanos } from '@quipu/core/values'
import { refuse } from '../../wire/refusal.ts'
import { bodyBytes } from '../body/body.ts'
import type { Exchange } from '../exchange.ts'
import { checkFactorAtMain, questionAtMain } from '../oauth/pages/factor-check.ts'
import { sendResponse } from '../send.ts'
import type { Services } from '../services.ts'
import { checkSecret } from './peer.ts'

const names = {
  move: true,
  prepare: true,
  claim: true,
  receive: true,
  compare: true,
  codes: true,
  doctor: true,
  people: true,
  password: true,
  factorQuestion: true,
  factorCheck: true,
  holds: true,
  name: true,
} as const satisfies Record<TaskName, true>

const isTask = (name: string): name is TaskName => Object.hasOwn(names, name)

/** Answers a task that another node gives to this one. Returns undefined if the request is no task. */
export const answerTask = (services: Services, exchange: Exchange): Promise<void> | undefined =>
  services.cluster && exchange.url.path.startsWith(TASK_PATH)
    ? perform(services, services.cluster, exchange)
    : undefined

async function perform(services: Services, cluster: Cluster, exchange: Exchange): Promise<void> {
  checkSecret(exchange.request.headers[SECRET_HEADER], cluster.secret)
  const name = exchange.url.path.slice(TASK_PATH.length)
  if (!isTask(name)) throw refuse({ code: 'endpointNotFound' })
  exchange.operation = `cluster ${name}`
  const body = await bodyBytes(exchange, services.limits.bodyMaxBytes)
  const input = JSON.parse(body.toString()) as Tasks[typeof name]
  sendResponse(services, exchange, 200, JSON.stringify(await outputOf(services, cluster, name, input)))
}

async function outputOf(services: Services, cluster: Cluster, name: TaskName, input: Tasks[TaskName]) {
  if (name === 'codes') return { codes: [...codesOfIds(services.worlds.main)] }
  if (name === 'doctor') return { checks: (await services.monitoring.doctor?.own(services)) ?? [] }
  if (name === 'people') return { people: peopleOf(services, (input as Tasks['people']).users) }
  if (name === 'password') {
    // It loads the pages, which a server without sign-ins does not need.
    const { checkAtMain } = await import('../oauth/pages/password-check.ts')
    return checkAtMain(services, input as Tasks['password'])
  }
  if (name === 'factorQuestion') return questionAtMain(services, input as Tasks['factorQuestion'])
  if (name === 'factorCheck') return checkFactorAtMain(services, input as Tasks['factorCheck'])
  if (name === 'compare') {
    const { answerQuestion } = await import('../reading/difference/branches.ts')
    return answerQuestion(services, input as Tasks['compare'])
  }
  if (name === 'name') return { name: cluster.name }
  if (name === 'holds') return { holds: cluster.locations.isHere((input as Tasks['holds']).world) }
  return cluster.perform(name, input as Tasks[typeof name]).catch((error) => {
    // Such as a journal for a world that has just moved. The other node repeats the task at the new holder.
    if (error instanceof NotApplied)
      services.log.warn('a task of another node was not done', { task: name, problem: error.message })
    return refuseMove(error)
  })
}

const peopleOf = ({ worlds: { main } }: Services, users: Tasks['people']['users']) =>
  users.map(({ userId, createdAt }) => {
    const ref = { id: userId as UserId, createdAt: instantOfNanos(BigInt(createdAt)) }
    return mainUserIn(main.view, ref) ?? null
  })

/** The error of a world that was not moved. */
export function refuseMove(error: unknown): never {
  if (error instanceof NotMoved) throw refuse({ code: 'worldNotMoved', problem: error.message })
  throw error
}
