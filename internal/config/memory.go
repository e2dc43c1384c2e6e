package config

import (
	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/scoterdb/scoter/internal/ledger"
)

// maxBody is the default of max_body in bytes, if there is enough memory.
const maxBody = 64 << 20

// DivideMemory divides the memory of the process among its accounts. It also sets the settings that
// depend on memory and are not given. Invalid settings are errors.
func (s *Server) DivideMemory() (ledger.Limits, error) {
	fixed := ledger.Fixed{Write: int64(s.WriteMemory), Query: int64(s.QueryMemory), Stream: int64(s.StreamMemory)}
	divide, memory := ledger.Divide, int64(s.Memory)
	if memory == 0 {
		memory = defaultMemory()
		if fixed != (ledger.Fixed{}) {
			divide = ledger.Extend
		}
	}
	limits, err := divide(memory, fixed)
	if err != nil {
		return ledger.Limits{}, err
	}
	s.Memory = Bytes(limits.Memory)
	if s.MaxBody == 0 {
		s.MaxBody = Bytes(min(maxBody, limits.Rows/bodyShare))
	}
	s.FlushBytes = min(s.FlushBytes, Bytes(limits.Rows/4)) // the engine uses the same limit
	return limits, nil
}

// defaultMemory returns the memory of a process for which the setting memory is not given, in
// bytes: ledger.DefaultMemory, but at most half of the machine's memory and three quarters of the
// limit of the process's cgroup.
func defaultMemory() int64 {
	memory := uint64(ledger.DefaultMemory)
	// An error says that there is no limit, or that it cannot be read on this system.
	if machine, err := memlimit.FromSystem(); err == nil {
		memory = min(memory, machine/2)
	}
	if cgroup, err := memlimit.FromCgroup(); err == nil {
		memory = min(memory, cgroup/4*3)
	}
	return max(int64(memory), ledger.Least)
}
