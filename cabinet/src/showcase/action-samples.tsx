import { Ellipsis, Plus, Undo2, X } from 'lucide-react'
import {
  Avatar,
  Badge,
  Button,
  ButtonLink,
  CopyId,
  FilterChip,
  IconButton,
  Key,
  NewRowsPill,
  Tag,
} from '../components/index.ts'
import { Sample } from './sample.tsx'

export function ActionSamples() {
  return (
    <>
      <Sample title="Buttons">
        <div className="row-flex">
          <Button look="primary">Save</Button>
          <Button>Cancel</Button>
          <Button look="quiet">Export</Button>
          <Button look="danger">Erase</Button>
          <Button look="danger-quiet">Delete</Button>
        </div>
        <div className="row-flex">
          <Button look="primary" shortcut="C">
            <Plus className="icon" />
            New deal
          </Button>
          <Button isDisabled>Disabled</Button>
          <Button isPending>Pending</Button>
          <ButtonLink href="/components">Link</ButtonLink>
        </div>
        <div className="row-flex">
          <Button isSmall>Small</Button>
          <Button isSmall look="quiet">
            <Undo2 className="icon icon-small" />
            Undo
          </Button>
          <IconButton label="More actions">
            <Ellipsis className="icon" />
          </IconButton>
          <IconButton label="Remove" isSmall>
            <X className="icon" />
          </IconButton>
          <IconButton label="Not now" isDisabled>
            <X className="icon" />
          </IconButton>
        </div>
      </Sample>
      <Sample title="Chips, badges, people, keys">
        <div className="row-flex">
          <Tag name="Key account" color="#C2410C" />
          <Tag name="At risk" color="#B91C1C" />
          <FilterChip words="Owner is" value="Hanna Berg" onRemove={() => {}} />
        </div>
        <div className="row-flex">
          <Badge>Qualified</Badge>
          <Badge meaning="success">Won</Badge>
          <Badge meaning="warning">in 20 days</Badge>
          <Badge meaning="danger">Overdue 2 d</Badge>
          <Badge meaning="info">v8 by ERP</Badge>
        </div>
        <div className="row-flex">
          <Avatar name="Hanna Berg" />
          <span>Hanna Berg</span>
          <Avatar name="Kenji Mori" size="mid" />
          <Avatar name="Anna Petrova" size="large" />
          <Avatar name="Aurora Freight" size="large" isSquare />
          <span className="push row-flex">
            <Key>Ctrl K</Key>
            <Key>G</Key>
            <Key>C</Key>
          </span>
        </div>
        <div className="row-flex">
          <NewRowsPill count={3} onPress={() => {}} />
          <span className="push">
            <CopyId id="0192f3b1-4c0e" />
          </span>
        </div>
      </Sample>
    </>
  )
}
