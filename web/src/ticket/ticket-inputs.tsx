import { orderTypes } from '@quipu/contract/order-types.ts'
import type { JSX } from 'preact'
import { Icon } from '../parts/icon.tsx'
import { SizeButtons, SizeField } from './size-field.tsx'
import {
  attachments,
  changeTicket,
  fields,
  hasStopLoss,
  hasTakeProfit,
  needsPrice,
  type TicketFields,
  validity,
} from './ticket-fields.ts'

type AmountProps = {
  readonly name: keyof TicketFields
  readonly label: string
  readonly unit: string
  readonly bad?: string | undefined
}

/** A number of the ticket. Typing a comma types a point. */
function Amount({ name, label, unit, bad }: AmountProps): JSX.Element {
  // The line under the button asks for an empty field; only a typed value is marked as wrong.
  const isBad = bad === name && fields.value[name] !== ''
  return (
    <label class="field">
      {label}
      <span class={`input ${isBad ? 'bad' : ''}`}>
        <input
          name={name}
          inputMode="decimal"
          autocomplete="off"
          aria-invalid={isBad}
          value={String(fields.value[name])}
          onInput={({ currentTarget }) =>
            changeTicket({ [name]: currentTarget.value.trim().replace(',', '.') })
          }
        />
        <span class="unit">{unit}</span>
      </span>
    </label>
  )
}

type ChoiceProps<Value extends string> = {
  readonly label: string
  readonly name: keyof TicketFields
  readonly options: Readonly<Record<Value, string>>
}

function Choice<Value extends string>({ label, name, options }: ChoiceProps<Value>): JSX.Element {
  return (
    <label class="field">
      {label}
      <span class="input">
        <select
          name={name}
          value={String(fields.value[name])}
          onChange={({ currentTarget }) => changeTicket({ [name]: currentTarget.value })}
        >
          {Object.entries<string>(options).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </label>
  )
}

const typeLabels = Object.fromEntries(Object.entries(orderTypes).map(([type, { label }]) => [type, label]))

/** The fields of the order kind on screen. */
export function TicketInputs({ bad }: { readonly bad: string | undefined }): JSX.Element {
  const ticket = fields.value
  const isOco = ticket.attachment === 'oco'
  return (
    <>
      <div class="fields">
        {!isOco && <Choice label="Type" name="type" options={typeLabels} />}
        <Choice label="Valid" name="validity" options={validity} />
      </div>
      <div class="fields">
        <SizeField bad={bad} />
        {needsPrice(ticket, 'limit_price') && (
          <Amount name="limitPrice" label="Limit price" unit="USD" bad={bad} />
        )}
        {needsPrice(ticket, 'stop_price') && (
          <Amount name="stopPrice" label="Stop price" unit="USD" bad={bad} />
        )}
        {needsPrice(ticket, 'trail') && <TrailField bad={bad} />}
        {hasTakeProfit(ticket) && <Amount name="takeProfit" label="Take profit at" unit="USD" bad={bad} />}
        {hasStopLoss(ticket) && <Amount name="stopLoss" label="Stop loss at" unit="USD" bad={bad} />}
      </div>
      <SizeButtons />
      <div class="attach">
        <Choice label="Attach" name="attachment" options={attachments} />
      </div>
      {orderTypes[ticket.type].extendedHours && ticket.validity === 'day' && (
        <label class="check-box small">
          <input
            type="checkbox"
            checked={ticket.extendedHours}
            onChange={({ currentTarget }) => changeTicket({ extendedHours: currentTarget.checked })}
          />
          Also before the open and after the close
        </label>
      )}
    </>
  )
}

const TrailField = ({ bad }: { readonly bad: string | undefined }): JSX.Element => {
  const isPercent = fields.value.trailUnit === 'percent'
  return (
    <div class="field">
      <label for="ticket-trail">Distance</label>
      <span class={`input ${bad === 'trail' ? 'bad' : ''}`}>
        <input
          id="ticket-trail"
          name="trail"
          inputMode="decimal"
          autocomplete="off"
          aria-invalid={bad === 'trail'}
          value={fields.value.trail}
          onInput={({ currentTarget }) =>
            changeTicket({ trail: currentTarget.value.trim().replace(',', '.') })
          }
        />
        <button
          type="button"
          class="link small"
          aria-label={isPercent ? '%: enter an amount instead' : 'USD: enter per cent instead'}
          onClick={() => changeTicket({ trailUnit: isPercent ? 'price' : 'percent' })}
        >
          {isPercent ? '%' : 'USD'}
        </button>
      </span>
    </div>
  )
}
