import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { actingOperator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { OnceCard } from './once.tsx'
import { customers, inPath, people } from './readings.ts'

type Created = Output<'createUser'>

/** Creates a person; the generated password is shown once. */
export function NewPerson(): JSX.Element {
  const [created, setCreated] = useState<Created>()
  const world = worldName.value
  useEffect(() => setCreated(undefined), [world])
  if (!created) return <Form done={setCreated} />
  return (
    <OnceCard
      title="New person"
      rows={[
        ['Name', created.name],
        ['Password', created.password ?? ''],
      ]}
      done={() => setCreated(undefined)}
    >
      The password is shown only now. Copy it before you leave.
    </OnceCard>
  )
}

function Form({ done }: { readonly done: (created: Created) => void }): JSX.Element {
  const [name, setName] = useState('')
  const [role, setRole] = useState('user')
  const [hasAccount, setHasAccount] = useState(true)
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const create = async (event: Event) => {
    event.preventDefault()
    setSending(true)
    const body = {
      name: name.trim(),
      operator: role === 'operator',
      auditor: role === 'auditor',
      accounts: hasAccount ? [{ flavour: 'paper' }] : [],
    }
    try {
      done(await actingOperator().client.createUser({ ...inPath(), body: body as never }))
      void people.read()
      void customers.read()
    } catch (error) {
      setProblem(error as Error)
      setSending(false)
    }
  }
  return (
    <Card title="New person">
      <form class="body stack" onSubmit={create}>
        <label class="field">
          Name
          <span class="input">
            <input
              required
              maxLength={128}
              autocomplete="off"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </span>
        </label>
        <label class="check-box">
          <input
            type="checkbox"
            checked={hasAccount}
            onChange={({ currentTarget }) => setHasAccount(currentTarget.checked)}
          />
          Open a paper account
        </label>
        <label class="field">
          Role
          <span class="input">
            <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
              <option value="user">None: own accounts only</option>
              <option value="auditor">Auditor: reads every world</option>
              <option value="operator">Operator: controls every world</option>
            </select>
            <Icon name="down" />
          </span>
        </label>
        {problem && <Problem title="The person was not created" error={problem} />}
        <button type="submit" class="button wide" disabled={isSending}>
          {isSending ? 'Creating' : 'Create person'}
        </button>
      </form>
    </Card>
  )
}
