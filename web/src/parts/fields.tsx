import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** A field of a small form. Its value is text; `yes` is a checked box. */
export type Field = {
  readonly name: string
  readonly label: string
  readonly kind?: 'text' | 'number' | 'date' | 'datetime-local' | 'check'
  readonly options?: Readonly<Record<string, string>>
  readonly unit?: string
  readonly hint?: string
  readonly isRequired?: boolean
  readonly isWide?: boolean
}

export type Values = Readonly<Record<string, string>>

type FieldsProps = {
  readonly fields: readonly Field[]
  readonly values: Values
  readonly change: (values: Values) => void
  /** The field that the server refused. */
  readonly bad?: string | undefined
}

/** The inputs of a form, two in a row. */
export const Fields = ({ fields, values, change, bad }: FieldsProps): JSX.Element => (
  <div class="fields">
    {fields.map((field) => (
      <FieldInput
        key={field.name}
        field={field}
        value={values[field.name] ?? ''}
        isBad={bad === field.name}
        set={(value) => change({ ...values, [field.name]: value })}
      />
    ))}
  </div>
)

type InputProps = {
  readonly field: Field
  readonly value: string
  readonly isBad: boolean
  readonly set: (value: string) => void
}

function FieldInput({ field, value, isBad, set }: InputProps): JSX.Element {
  const { name, label, kind = 'text', options, unit, hint, isRequired, isWide } = field
  const id = useId()
  if (kind === 'check')
    return (
      <label class={`check ${isWide ? 'wide-field' : ''}`}>
        <input
          type="checkbox"
          name={name}
          checked={value === 'yes'}
          onChange={({ currentTarget }) => set(currentTarget.checked ? 'yes' : '')}
        />
        {label}
      </label>
    )
  return (
    <div class={`field ${isWide ? 'wide-field' : ''}`}>
      <label for={id}>{label}</label>
      <span class={`input ${isBad ? 'bad' : ''}`}>
        {options ? (
          <select
            id={id}
            name={name}
            value={value}
            onChange={({ currentTarget }) => set(currentTarget.value)}
          >
            {Object.entries(options).map(([one, text]) => (
              <option key={one} value={one}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <input
            id={id}
            name={name}
            type={kind === 'number' ? 'text' : (kind as 'text')}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            autocomplete="off"
            spellcheck={false}
            required={isRequired}
            placeholder={hint}
            aria-invalid={isBad}
            value={value}
            onInput={({ currentTarget }) =>
              set(kind === 'number' ? currentTarget.value.trim().replace(',', '.') : currentTarget.value)
            }
          />
        )}
        {unit !== undefined && <span class="unit">{unit}</span>}
        {options && <Icon name="down" />}
      </span>
    </div>
  )
}
