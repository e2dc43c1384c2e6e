package write

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// insert runs INSERT [OR REPLACE | OR IGNORE] INTO t [AS a] [(columns)] [BY NAME] query [ON
// CONFLICT ...] [RETURNING list]. CTEs in front of INSERT belong to the query.
func (x *execution) insert() (*Result, error) {
	in, err := x.Insertion()
	if err != nil {
		return nil, err
	}
	t := in.Target.Table
	job := insertJob(&in)
	if _, appends := choose(job, x.facts(-1)).(appendWay); !appends {
		return x.insertKeyed(in, job)
	}
	if in.Conflict.Given && len(t.PrimaryKey) == 0 {
		return nil, base.Errorf(base.Invalid, "table %s has no primary key, so its rows cannot conflict", t.QualifiedName()).At(in.Conflict.Position).
			WithHint("MERGE INTO takes any condition")
	}
	var returned *returningRows
	if !in.Returning.None() {
		returned = x.newReturningRows(t)
		defer returned.release()
	}
	load, err := x.Loads.Load(x.Ctx, t, engine.LoadOptions{})
	if err != nil {
		return nil, err
	}
	err = x.RunInsertQuery(t, in.Columns, in.ByName, in.Query, func(rec arrow.RecordBatch) error {
		if returned != nil {
			if returned.memtable.Bytes()+batch.Bytes(rec) > x.Loads.ChunkBytes() {
				return x.errReturning()
			}
			if err := returned.add(rec); err != nil {
				return err
			}
		}
		return load.Add(x.Ctx, rec)
	})
	if err != nil {
		return nil, errors.Join(err, load.Abort())
	}
	result := &Result{}
	if returned != nil {
		// RETURNING is evaluated before the commit, because nothing may be inserted if it has an
		// error.
		all := &sqlquery.Buffered{}
		if err = x.returned(all, returned, in.Returning, "INSERT"); err != nil {
			return nil, errors.Join(err, load.Abort())
		}
		result.Rows = all
	}
	if result.Counts.Inserted, err = load.Commit(x.Ctx, x.Options); err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// insertJob returns the job of an INSERT.
func insertJob(in *dml.Insertion) *Job {
	t := in.Target.Table
	j := &Job{Table: t, Incoming: true, Sent: in.Columns, Assigned: in.Columns, Returns: !in.Returning.None(), DoUpdate: in.Conflict.Update}
	switch {
	case in.Conflict.Keeps:
		j.Policy = incoming.SkipRow
	case in.Conflict.Update:
		given, plain := in.Conflict.Excluded()
		j.Assigned, j.Computed = incoming.WithVersionColumns(t, given, in.Columns), !plain
	case !in.Conflict.Given && t.InsertRefuses():
		j.Assigned, j.Policy = t.Columns, incoming.RefuseRow
	}
	return j
}

// facts returns the facts about incoming rows of this size; see Facts.
func (m *Writer) facts(bytes int64) Facts {
	return Facts{Bytes: bytes, Chunk: m.Loads.ChunkBytes(), FitsPatch: true}
}

// insertKeyed runs an INSERT into a table with a primary key.
func (x *execution) insertKeyed(in dml.Insertion, job *Job) (result *Result, err error) {
	t := in.Target.Table
	unset := ""
	if in.Conflict.Given {
		t, unset = incoming.WithoutMissingNotNull(t, in.Columns)
	}
	rows := &incoming.Bulk{
		Loads: x.Loads, Ctx: x.Ctx, Table: t, SentColumns: in.Columns, Policy: job.Policy, KeepFirst: job.DoUpdate, MissingNotNull: unset,
		Reservation: x.Commits.NewReservation(),
	}
	if job.Returns {
		rows.TooLarge = x.errReturning()
	}
	defer rows.CloseInto(&err)
	if err := x.RunInsertQuery(t, in.Columns, in.ByName, in.Query, rows.Add); err != nil {
		return nil, err
	}
	if rows.Load != nil {
		_, whole := choose(job, x.facts(x.Loads.ChunkBytes()+1)).(bulkKeyedWay)
		counts, err := x.insertParts(in, rows, whole)
		return &Result{Counts: counts}, err
	}
	a, err := rows.Incoming(job.Assigned)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	if _, joins := choose(job, x.facts(0)).(joinWay); joins {
		return x.joinIncoming(in, a)
	}
	result = &Result{}
	var before func(remaining []uint32) error
	if !in.Returning.None() {
		before = func(remaining []uint32) error {
			result.Close() // the result of an earlier attempt
			all := &sqlquery.Buffered{}
			result.Rows = all
			return x.returnedRows(all, t, in.Returning, "INSERT", []arrow.RecordBatch{a.Rows}, remaining)
		}
	}
	if result.Counts, err = x.upsert(x.Ctx, []*incoming.Rows{a}, job.Policy, x.Options, before); err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}
