exec node receiver.js
