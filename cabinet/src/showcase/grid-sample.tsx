import { Lock } from 'lucide-react'
import { Skeleton } from '../components/index.ts'
import { Sample } from './sample.tsx'

/** Lists have rows of their own, which are virtual. Their cells look like these. */
export function GridSample() {
  return (
    <Sample title="Cells of a table" isWide>
      <div className="grid-plain">
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Job title</th>
              <th scope="col" className="num">
                Amount
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td>Plain</td>
              <td>Engineer</td>
              <td className="num">12,400.00 EUR</td>
            </tr>
            <tr aria-current="true">
              <td>Selected row</td>
              <td>Engineer</td>
              <td className="num">12,400.00 EUR</td>
            </tr>
            <tr>
              <td>Focused cell</td>
              <td className="cell-focus">Engineer</td>
              <td className="num">12,400.00 EUR</td>
            </tr>
            <tr>
              <td>Editing cell</td>
              <td className="cell-edit">
                <input aria-label="Job title" defaultValue="Senior engineer" />
              </td>
              <td className="num">12,400.00 EUR</td>
            </tr>
            <tr>
              <td>Hidden value</td>
              <td>Engineer</td>
              <td className="num">
                <span className="lock">
                  <Lock className="icon icon-small" />
                  Hidden
                </span>
              </td>
            </tr>
            <tr>
              <td>Empty value</td>
              <td className="muted">–</td>
              <td className="num muted">–</td>
            </tr>
            <tr aria-busy="true">
              <td>Loading</td>
              <td>
                <Skeleton />
              </td>
              <td className="num">
                <Skeleton />
              </td>
            </tr>
          </tbody>
        </table>
      </div>
    </Sample>
  )
}
