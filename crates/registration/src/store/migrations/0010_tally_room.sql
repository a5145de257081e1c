-- In a full month, the row that recurs least makes room for a new name.
CREATE INDEX tally_room ON tally (month, kind, days, count, last_day);
