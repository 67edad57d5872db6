import { figureTables, provenanceRows, type RunFile, type RunStatistics, statisticsOf } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { Card } from '../../parts/card.tsx'
import { colorOf } from './run-words.tsx'

/** Return, risk, trades and costs of a run, its returns by month, and how to get them again. */
export function RunStatisticsCard({ file }: { readonly file: RunFile }): JSX.Element {
  const { run, parts } = file
  const statistics = useMemo(() => statisticsOf({ ...parts, fees: run.fees ?? 0 }), [file])
  return (
    <Card title="Figures" class="run-statistics">
      <div class="body">
        <div class="tables">
          {figureTables(run, statistics).map(({ title, rows, note }) => (
            <section key={title}>
              <h3 class="small soft">{title}</h3>
              <table>
                <tbody>
                  {rows.map(([name, value, interval]) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td class="r n">{value}</td>
                      <td class="faint small">{interval}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {note !== undefined && <p class="faint small">{note}</p>}
            </section>
          ))}
        </div>
        {statistics.months.length > 0 && <Months statistics={statistics} />}
        <h3 class="small soft">Provenance</h3>
        <dl class="facts small">
          {provenanceRows(run).map(([name, value]) => (
            <div key={name}>
              <dt class="soft">{name}</dt>
              <dd class={name === 'Repeat' ? 'mono' : ''}>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function Months({ statistics: { months } }: { readonly statistics: RunStatistics }): JSX.Element {
  const years = Map.groupBy(months, ({ month }) => month.slice(0, 4))
  return (
    <section class="scroll" tabIndex={0} aria-label="Returns by month">
      <table>
        <caption class="small soft">Returns by month, %</caption>
        <thead>
          <tr>
            <th scope="col">Year</th>
            {monthNames.map((name) => (
              <th key={name} class="r" scope="col">
                {name}
              </th>
            ))}
            <th class="r" scope="col">
              Whole
            </th>
          </tr>
        </thead>
        <tbody>
          {[...years].map(([year, of]) => (
            <tr key={year}>
              <th scope="row">{year}</th>
              {monthNames.map((name, index) => (
                <Return key={name} of={of.find(({ month }) => Number(month.slice(5)) === index + 1)?.value} />
              ))}
              <Return of={of.reduce((growth, { value }) => growth * (1 + value), 1) - 1} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const Return = ({ of }: { readonly of: number | undefined }): JSX.Element => (
  <td class={`r n ${of === undefined ? '' : colorOf(of)}`}>
    {of === undefined ? '' : (of * 100).toFixed(2).replace('-', '−')}
  </td>
)
