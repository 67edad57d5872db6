import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useModal } from '../../modal.ts'
import { Fields, type Values } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { actingOperator, operator } from '../../session/connections.ts'
import { type NewWorld as Made, showNewWorld } from '../../shell/show-new-world.ts'
import { moreFields, startValues, worldBody, worldFields } from './world-form.ts'

type Scenario = Output<'listScenarios'>[number]
const ways = { scenario: 'Scenario', settings: 'Settings', file: 'File' } as const
type Way = keyof typeof ways

/** A dialog that creates a world: from a scenario, from settings, or from a saved file. */
export function NewWorld({ close }: { readonly close: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [way, setWay] = useState<Way>('scenario')
  const [problem, setProblem] = useState<Error>()
  const [isSending, setSending] = useState(false)
  useModal(dialog, close)
  const create = async (make: () => Promise<Made>) => {
    setSending(true)
    setProblem(undefined)
    try {
      const made = await make()
      close()
      await showNewWorld(made)
    } catch (error) {
      setProblem(error as Error)
      setSending(false)
    }
  }
  const parts = { create, isSending, close }
  return (
    <dialog ref={dialog} class="new-world" aria-labelledby="new-world-title">
      <h2 id="new-world-title">New world</h2>
      <fieldset class="choice fill" aria-label="Create from">
        {(Object.keys(ways) as Way[]).map((one) => (
          <button key={one} type="button" aria-pressed={way === one} onClick={() => setWay(one)}>
            {ways[one]}
          </button>
        ))}
      </fieldset>
      {way === 'scenario' && <FromScenario {...parts} />}
      {way === 'settings' && <FromSettings {...parts} />}
      {way === 'file' && <FromFile {...parts} />}
      {problem && (
        <div class="note wrong" role="alert">
          <Icon name="warning" />
          <b>The world was not created</b>
          <p>{problem.message}</p>
        </div>
      )}
    </dialog>
  )
}

type WayProps = {
  readonly create: (make: () => Promise<Made>) => Promise<void>
  readonly isSending: boolean
  readonly close: () => void
}

const nameField = { name: 'world', label: 'Name', hint: 'generated' } as const
const nameOf = ({ world }: Values) => (world?.trim() ? { world: world.trim() } : {})

function Actions({
  isSending,
  close,
  label,
}: Omit<WayProps, 'create'> & { readonly label: string }): JSX.Element {
  return (
    <div class="actions">
      <button type="button" class="button" onClick={close}>
        Close <kbd>Esc</kbd>
      </button>
      <button type="submit" class="button sim" disabled={isSending}>
        {isSending ? 'Creating' : label}
      </button>
    </div>
  )
}

function FromScenario({ create, ...rest }: WayProps): JSX.Element {
  const [list, setList] = useState<readonly Scenario[]>()
  const [problem, setProblem] = useState<Error>()
  const [chosen, setChosen] = useState('flash-crash')
  const [values, setValues] = useState<Values>({})
  const read = () => {
    setProblem(undefined)
    operator().client.listScenarios().then(setList, setProblem)
  }
  useEffect(read, [])
  if (problem) return <Failed what="the scenarios" error={problem} retry={read} />
  if (!list) return <Loading rows={6} />
  const seed = values['seed']?.trim()
  const body = { name: chosen, ...nameOf(values), ...(seed ? { seed } : {}) }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void create(() => actingOperator().client.createScenarioWorld({ body }))
      }}
    >
      <fieldset class="scenarios" aria-label="Scenario">
        {list.map(({ name, about }) => (
          <label key={name} class={chosen === name ? 'chosen' : ''}>
            <input
              type="radio"
              name="scenario"
              value={name}
              checked={chosen === name}
              onChange={() => setChosen(name)}
            />
            <span>
              <b>{name}</b>
              <span>{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Fields
        fields={[nameField, { name: 'seed', label: 'Seed', hint: 'of the scenario' }]}
        values={values}
        change={setValues}
      />
      <Actions {...rest} label="Create the world" />
    </form>
  )
}

function FromSettings({ create, ...rest }: WayProps): JSX.Element {
  const [values, setValues] = useState<Values>(startValues)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void create(async () => actingOperator().client.createWorld({ body: worldBody(values) }))
      }}
    >
      <Fields fields={worldFields} values={values} change={setValues} />
      <details>
        <summary>More settings</summary>
        <Fields fields={moreFields} values={values} change={setValues} />
      </details>
      <Actions {...rest} label="Create the world" />
    </form>
  )
}

function FromFile({ create, ...rest }: WayProps): JSX.Element {
  const [file, setFile] = useState<File>()
  const [values, setValues] = useState<Values>({})
  const load = async () => {
    if (!file) throw new Error('Choose a file first.')
    const query = { ...nameOf(values), durable: values['durable'] === 'yes' }
    const body = new Uint8Array(await file.arrayBuffer())
    return actingOperator().client.loadWorld({ query, body })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void create(load)
      }}
    >
      <label class="drop-file">
        <Icon name="upload" />
        <b>{file ? file.name : 'Choose a file that was saved here or elsewhere'}</b>
        <input
          type="file"
          class="hidden-text"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
      </label>
      <Fields
        fields={[nameField, { name: 'durable', label: 'Keep it across restarts', kind: 'check' }]}
        values={values}
        change={setValues}
      />
      <Actions {...rest} label="Load the world" />
    </form>
  )
}
