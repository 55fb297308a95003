"""Server-side Tables: the columns and rows that kubectl shows."""
