import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Field, Fields, type Values } from './fields.tsx'

type SmallFormProps = {
  readonly title: string
  readonly about: string
  readonly fields: readonly Field[] | ((values: Values) => readonly Field[])
  readonly start: Values
  /** The verb and the object, such as "Plan the crash". */
  readonly submit: string
  readonly send: (values: Values) => Promise<unknown>
  readonly close: () => void
  /** True: acts on the account of the viewer, not on the world. */
  readonly isOwn?: boolean
  /** What follows the fields, such as a button that fills one of them. */
  readonly extra?: (change: (some: Values) => void) => JSX.Element
}

/** A form that opens under a button. Escape closes it; a refusal is shown in place. */
export function SmallForm(props: SmallFormProps): JSX.Element {
  const { title, about, fields, start, submit, send, close, isOwn = false, extra } = props
  const fieldsOf = typeof fields === 'function' ? fields : () => fields
  const [values, setRaw] = useState(start)
  const setValues = (changed: Values) => setRaw(fitted(changed, fieldsOf))
  const [problem, setProblem] = useState<Error>()
  const [isSending, setSending] = useState(false)
  const onSubmit = async (event: Event) => {
    event.preventDefault()
    setSending(true)
    setProblem(undefined)
    try {
      await send(values)
      close()
    } catch (error) {
      setProblem(error as Error)
      setSending(false)
    }
  }
  return (
    <form
      class={`small-form ${isOwn ? 'own' : ''}`}
      aria-label={title}
      onSubmit={(event) => void onSubmit(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        close()
      }}
    >
      <p class="soft small">{about}</p>
      <Fields fields={fieldsOf(values)} values={values} change={setValues} bad={fieldOf(problem)} />
      {extra?.((some) => setValues({ ...values, ...some }))}
      {problem && (
        <p class="of-wrong small" role="alert">
          {problem.message}
        </p>
      )}
      <div class="form-actions">
        <button type="button" class="button small" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
        <button type="submit" class={`button small ${isOwn ? 'main' : 'sim'}`} disabled={isSending}>
          {isSending ? 'Sending' : submit}
        </button>
      </div>
    </form>
  )
}

/** A choice that the other values no longer offer becomes the first one. */
function fitted(values: Values, fieldsOf: (values: Values) => readonly Field[]): Values {
  const bad = fieldsOf(values).find(
    ({ name, options }) => options && Object.keys(options).length > 0 && !((values[name] ?? '') in options),
  )
  return bad ? fitted({ ...values, [bad.name]: Object.keys(bad.options!)[0]! }, fieldsOf) : values
}

/** The field that a refusal names first: `depth: expected …`, `match.times: …`. */
function fieldOf(problem: Error | undefined): string | undefined {
  return /^([\w.]+):/
    .exec(problem?.message ?? '')?.[1]
    ?.split('.')
    .at(-1)
}
