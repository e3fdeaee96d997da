import { ListFilter, Users } from 'lucide-react'
import { Banner, Button, CopyId, Empty, Progress } from '../components/index.ts'
import { Sample } from './sample.tsx'

export function FeedbackSamples() {
  return (
    <>
      <Sample title="Progress">
        <Progress label="Importing kunden-2026.csv" value={2480} most={4000} text="2,480 of 4,000" />
        <dl className="counters">
          <div>
            <dt>Created</dt>
            <dd>1,902</dd>
          </div>
          <div>
            <dt>Failed</dt>
            <dd>2</dd>
          </div>
        </dl>
        <p className="hint">About 40 s more. You can leave this page: the import goes on.</p>
      </Sample>
      <Sample title="Nothing matches">
        <Empty
          icon={<ListFilter className="icon" />}
          title="Nothing matches these filters"
          actions={<Button>Drop this filter</Button>}
        >
          Without “Owner is Kenji Mori” there are 214.
        </Empty>
      </Sample>
      <Sample title="Nothing here yet">
        <Empty
          icon={<Users className="icon" />}
          title="No contacts yet"
          actions={
            <>
              <Button look="primary">New contact</Button>
              <Button>Import</Button>
            </>
          }
        >
          Add the first one, or bring them from a file.
        </Empty>
      </Sample>
      <Sample title="Could not refresh">
        <Banner meaning="warning" action={<Button isSmall>Again</Button>}>
          <p>
            <b className="strong">Could not refresh.</b> You see the state of 12:04.
          </p>
          <CopyId id="0192f3b1-77de" words="request" />
        </Banner>
        <Banner>
          <p>A new version is here. Reload when it suits you.</p>
        </Banner>
        <Banner meaning="success">
          <p>Second factor is on for everyone.</p>
        </Banner>
      </Sample>
    </>
  )
}
