import {
  Banner,
  Button,
  Checkbox,
  ComboBox,
  RadioGroup,
  SearchField,
  Select,
  Switch,
  TextField,
} from '../components/index.ts'
import { Sample } from './sample.tsx'

const stages = [
  { id: 'new', name: 'New' },
  { id: 'qualified', name: 'Qualified' },
  { id: 'won', name: 'Won' },
]
const companies = [
  { id: 'aurora', name: 'Aurora Freight', note: 'Boston' },
  { id: 'blue', name: 'Blue Harbor Foods', note: 'Oslo' },
]

export function FieldSamples() {
  return (
    <>
      <Sample title="Choices">
        <Checkbox defaultSelected>Follow up by e-mail</Checkbox>
        <Checkbox>Key account</Checkbox>
        <Checkbox isIndeterminate>Some of them</Checkbox>
        <Checkbox isDisabled>Disabled</Checkbox>
        <RadioGroup
          label="Keep"
          defaultValue="mine"
          choices={[
            { id: 'mine', name: 'Mine' },
            { id: 'theirs', name: 'Theirs' },
          ]}
        />
        <Switch defaultSelected>Members see amounts</Switch>
        <Switch>Members see contact data</Switch>
      </Sample>
      <Sample title="Form with errors">
        <Banner meaning="danger">
          <p>
            <b className="strong">Not saved: two fields need a look.</b> What you typed is still here.
          </p>
        </Banner>
        <div className="field-row">
          <TextField label="First name" defaultValue="Anna" />
          <TextField label="Last name" defaultValue="Petrova" isRequired />
        </div>
        <TextField label="E-mail" defaultValue="anna.petrova@" error="Something is missing after the @" />
        <TextField label="Description" rows={2} isOptional hint="5,000 characters at most" />
        <TextField label="Disabled" defaultValue="Engineer" isDisabled />
        <div className="row-flex">
          <Button look="primary">Save</Button>
          <Button>Cancel</Button>
          <span className="muted push">Draft kept 12:04</span>
        </div>
      </Sample>
      <Sample title="Select, combo box, search">
        <Select label="Stage" choices={stages} defaultValue="qualified" />
        <Select
          label="Owner"
          choices={stages}
          defaultValue="new"
          error="Jan Novak left on 3 November. Choose someone else."
        />
        <ComboBox label="Company" defaultItems={companies} />
        <SearchField label="Search" />
      </Sample>
    </>
  )
}
