import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { problemText } from '../../format/problem-text.ts'
import { type Fault, faultTitle, worldFaults } from '../../live/faults.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SmallForm } from '../../parts/small-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import { actingOperator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { type FaultKind, faultKinds } from './fault-kinds.table.ts'

/** Make requests and streams fail, with a budget. */
export function FaultsCard(): JSX.Element {
  const [open, setOpen] = useState<FaultKind>()
  const rules = worldFaults.value
  return (
    <Card title="Faults" beside={<span class="chip sim right">used / budget</span>}>
      <div class="body">
        <div class="event-buttons">
          {faultKinds.map((kind) => (
            <FaultButton
              key={kind.title}
              kind={kind}
              rules={rules.filter(kind.is)}
              isOpen={open === kind}
              toggle={() => setOpen(open === kind ? undefined : kind)}
            />
          ))}
        </div>
        {open && (
          <SmallForm
            key={open.title}
            title={open.title}
            about={open.help}
            fields={open.fields}
            start={open.start}
            submit="Create the rule"
            close={() => setOpen(undefined)}
            send={(values) =>
              actingOperator().client.createFault({
                params: { world: worldName.peek() },
                body: open.body(values),
              })
            }
          />
        )}
      </div>
      {rules.length > 0 && <Rules rules={rules} />}
    </Card>
  )
}

type FaultButtonProps = {
  readonly kind: FaultKind
  readonly rules: readonly Fault[]
  readonly isOpen: boolean
  readonly toggle: () => void
}

function FaultButton({ kind, rules, isOpen, toggle }: FaultButtonProps): JSX.Element {
  const used = rules.reduce((sum, { consumed }) => sum + consumed, 0)
  const isSpent = rules.length > 0 && rules.every(({ exhausted }) => exhausted)
  const state = rules.length === 0 ? 'idle' : isSpent ? 'spent' : used > 0 ? 'used' : 'scheduled'
  return (
    <button
      data-changes
      type="button"
      class="event-button"
      data-state={state}
      aria-expanded={isOpen}
      onClick={toggle}
    >
      <b>{kind.title}</b>
      <span>{kind.about}</span>
      {rules.length > 0 && (
        <em class="n">
          {used}/{budgetText(rules)}
        </em>
      )}
    </button>
  )
}

const budgetText = (rules: readonly Fault[]): string =>
  rules.some(({ times }) => times === null)
    ? '∞'
    : String(rules.reduce((sum, { times }) => sum + (times ?? 0), 0))

function Rules({ rules }: { readonly rules: readonly Fault[] }): JSX.Element {
  return (
    <>
      <ol class="rules" aria-label="Fault rules">
        {rules.map((rule) => (
          <li key={rule.id}>
            <span class="cut-text">
              <b>{rule.name ?? faultTitle(rule)}</b> <span class="soft">{scopeOf(rule)}</span>
            </span>
            <span class="meter">
              <i
                class="sim"
                style={{
                  width: `${Math.min((rule.consumed / (rule.times ?? Number.POSITIVE_INFINITY)) * 100, 100)}%`,
                }}
              />
            </span>
            <span class="n small">
              {rule.consumed}/{budgetText([rule])}
            </span>
            <button
              data-changes
              type="button"
              class="icon-button"
              aria-label={`Remove the rule ${rule.name ?? faultTitle(rule)}`}
              onClick={() => void remove(rule)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
      <footer>
        <span>{rules.length === 1 ? '1 rule' : `${rules.length} rules`}</span>
        <button data-changes type="button" class="button small bare right" onClick={() => void removeAll()}>
          Remove all rules
        </button>
      </footer>
    </>
  )
}

/** What a rule affects: `placeOrder`, `trade_updates fill`. */
function scopeOf({ match: { operation, stream, message, symbol, call } }: Fault): string {
  const parts = [operation, stream, message, symbol, call].flatMap((list) => list ?? [])
  return parts.length === 0 ? 'everything' : parts.join(', ')
}

const fail = (error: Error): void => toast(problemText(error))

const remove = ({ id }: Fault): Promise<unknown> =>
  actingOperator()
    .client.deleteFault({ params: { world: worldName.peek(), fault_id: id } })
    .catch(fail)

const removeAll = (): Promise<unknown> =>
  actingOperator()
    .client.deleteFaults({ params: { world: worldName.peek() } })
    .catch(fail)
