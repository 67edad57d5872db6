import type { Problem, Schema } from '@quipu/contract'
import type { ParsedScenario } from './scenario-file.ts'

/** Fields that the schema does not declare. A shape ignores them, but in a file they are typing errors. */
export function unknownFields(value: unknown, schema: Schema, path = ''): readonly Problem[] {
  const { schema: inner, properties: declared, items, additionalProperties, anyOf } = schema
  if (inner !== undefined) return unknownFields(value, inner, path)
  if (anyOf) return fewest(anyOf.map((one) => unknownFields(value, one, path)))
  if (Array.isArray(value))
    return items === undefined
      ? []
      : value.flatMap((one, index) => unknownFields(one, items, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => {
    const field = path === '' ? key : `${path}.${key}`
    if (declared && !Object.hasOwn(declared, key))
      return [{ field, message: `unknown field; expected one of ${Object.keys(declared).join(', ')}` }]
    const next = declared?.[key] ?? additionalProperties
    return typeof next === 'object' ? unknownFields(one, next, field) : []
  })
}

const fewest = (lists: readonly (readonly Problem[])[]): readonly Problem[] =>
  lists.reduce((best, one) => (one.length < best.length ? one : best))

type ProblemStep = ParsedScenario['steps'][number]
type Fault = NonNullable<ProblemStep['fault']>

const isId = (name: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)

/** Accounts and orders that a scenario refers to but does not have. */
export function nameProblems({ accounts, faults = [], steps, expect }: ParsedScenario): readonly Problem[] {
  const problems: Problem[] = []
  const placed = new Set<string>()
  const account = (name: string, field: string): void => {
    if (!accounts.includes(name))
      problems.push({
        field,
        message: `expected one of ${accounts.join(', ')}, received ${JSON.stringify(name)}`,
      })
  }
  const faulty = (fault: Fault | undefined, field: string): void => {
    const name = fault?.match.account
    if (name !== undefined && !isId(name)) account(name, `${field}.match.account`)
  }
  for (const [index, fault] of faults.entries()) faulty(fault, `faults[${index}]`)
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}]`
    faulty(step.fault, `${path}.fault`)
    if (step.account !== undefined) account(step.account, `${path}.account`)
    for (const name of Object.keys(step.check?.accounts ?? {}))
      account(name, `${path}.check.accounts.${name}`)
    const [field, order] = orderIn(step)
    if (order !== undefined && !placed.has(order))
      problems.push({
        field: `${path}.${field}`,
        message: `no earlier step uses the id ${JSON.stringify(order)}`,
      })
    for (const id of newIds(step)) placed.add(id)
  }
  for (const name of Object.keys(expect?.accounts ?? {})) account(name, `expect.accounts.${name}`)
  return problems
}

/** The order that a step changes. */
const orderIn = ({ cancel, replace }: ProblemStep): readonly [string, string | undefined] =>
  replace ? ['replace.order', withoutLeg(replace.order)] : ['cancel', cancel && withoutLeg(cancel)]

/** `entry/stop_loss` is a leg of the order `entry`. */
const withoutLeg = (name: string): string => name.split('/')[0]!

const newIds = ({ place, replace }: ProblemStep): readonly string[] =>
  [place?.client_order_id, replace?.client_order_id].filter((id) => id !== undefined)

type AccountMatch = { readonly account?: string | null | undefined }

/** A fault rule with the id of the account that it names. */
export function withAccountId<Rule extends { readonly match?: AccountMatch | null | undefined }>(
  rule: Rule,
  ids: ReadonlyMap<string, string>,
): Rule {
  const id = ids.get(rule.match?.account ?? '')
  return id === undefined ? rule : { ...rule, match: { ...rule.match, account: id } }
}
