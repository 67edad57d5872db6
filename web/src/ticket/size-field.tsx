import type { JSX } from 'preact'
import { quantityText } from '../format/amounts.ts'
import { decimal } from '../format/decimal.ts'
import { sizeTextOf } from './size-amounts.ts'
import { changeTicket, fields, type SizeUnit, sizeUnits } from './ticket-fields.ts'
import { sizing, ticketOrder } from './ticket-size.ts'

const unitNames: Readonly<Record<SizeUnit, string>> = {
  shares: 'shares',
  money: 'USD',
  percent: '% of buying power, or of the free shares',
}

/** The size of the order, in a unit that the viewer chooses. */
export function SizeField({ bad }: { readonly bad: string | undefined }): JSX.Element {
  const { unit, size } = fields.value
  const shares = unit === 'percent' ? ticketOrder.value.size : ''
  return (
    <div class="field">
      <label for="ticket-size">
        {unit === 'money' ? 'Amount' : 'Quantity'}
        {/^\d/.test(shares) && <span class="faint"> = {quantityText(shares)} shares</span>}
      </label>
      <span class={`input ${bad === 'size' ? 'bad' : ''}`}>
        <input
          id="ticket-size"
          name="size"
          inputMode="decimal"
          autocomplete="off"
          aria-invalid={bad === 'size'}
          value={size}
          onInput={({ currentTarget }) =>
            changeTicket({ size: currentTarget.value.trim().replace(',', '.') })
          }
        />
        <select
          class="size-unit"
          aria-label="Size unit"
          value={unit}
          onChange={({ currentTarget }) => changeUnit(currentTarget.value as SizeUnit)}
        >
          {Object.entries(sizeUnits).map(([value, text]) => (
            <option key={value} value={value} title={unitNames[value as SizeUnit]}>
              {text}
            </option>
          ))}
        </select>
      </span>
    </div>
  )
}

/** A number of shares is no number of dollars: the field is empty in the new unit. */
function changeUnit(unit: SizeUnit): void {
  changeTicket({ unit, size: '' })
}

const parts = ['25', '50', '75', '100'] as const

/** A quarter, a half, three quarters, or all: of the buying power to buy, of the free shares to sell. */
export function SizeButtons(): JSX.Element {
  const { unit, side, size } = fields.value
  const known = sizing.value
  const of = side === 'buy' ? 'of buying power' : 'of what is free'
  return (
    <fieldset class="size-buttons" aria-label={`Size in per cent ${of}`}>
      {parts.map((part) => {
        const text = sizeTextOf(decimal(part), unit, side, known)
        const all = side === 'sell' && unit === 'shares' && text !== undefined ? ` ${quantityText(text)}` : ''
        return (
          <button
            key={part}
            type="button"
            disabled={text === undefined}
            aria-pressed={text !== undefined && text === size}
            title={part === '100' ? `All ${of}` : `${part} % ${of}`}
            onClick={() => changeTicket({ size: text! })}
          >
            {part === '100' ? `All${all}` : `${part} %`}
          </button>
        )
      })}
    </fieldset>
  )
}
